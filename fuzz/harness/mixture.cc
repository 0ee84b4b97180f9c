#include "fuzz/harness/mixture.h"

#include <utility>

#include "conformance/engines.h"
#include "fuzz/engines/engine_names.h"
#include "fuzz/harness/registry.h"

namespace tagflow::fuzz {
namespace {

// Weights: a property has its turn as often as its weight is to the sum of its column. 0: never.
struct Row {
  const char* property;
  const char* profile;  // of programs; "": of graphs and calls
  int of_reference;
  int of_ours;  // the engine, in all its ways of running a step: mostly graphs, where its bugs are
  int of_others;  // any other engine: what needs no session in this process
};

constexpr Row kMixture[] = {
    {"equal", "default", 210, 22, 211}, {"equal", "specials", 46, 44, 47},
    {"equal", "tensors", 46, 44, 47},   {"graphs-small-steps", "", 12, 24, 12},
    {"graphs-orders", "", 6, 12, 6},    {"graphs-refusal", "", 10, 20, 10},
    {"graphs-run-ahead", "", 8, 16, 8}, {"graphs-stops", "", 2, 4, 2},
    {"graphs-exported", "", 2, 4, 2},   {"graphs-altered", "", 40, 80, 40},
    {"graphs-calls", "", 12, 24, 12},   {"graphs-simplify", "", 18, 36, 18},
    {"graphs-placed", "", 20, 40, 20},  {"graphs-shapes", "", 6, 12, 6},
    {"graphs-subset", "", 2, 4, 2},     {"kernels", "", 28, 56, 28},
    {"gradient", "smooth", 10, 19, 0},  {"gradient-calls", "", 10, 19, 0},
    {"nodes", "default", 1, 1, 0},      {"round-trip", "default", 1, 1, 0},
    {"runs", "effects", 1, 1, 0},       {"fetches", "default", 1, 1, 0},
    {"feeds", "default", 1, 1, 0},      {"limit", "tiny", 1, 1, 0},
    {"cancel", "default", 1, 1, 0},     {"orders", "default", 1, 1, 0},
    {"parallel", "default", 1, 1, 0},   {"simplify", "default", 1, 1, 0},
    {"recover", "default", 1, 1, 0},    {"recover", "effects", 1, 1, 0},
    {"functions", "default", 1, 1, 0},  {"functions", "effects", 1, 1, 0},
    {"placement", "default", 9, 4, 0},  {"placer", "default", 1, 1, 0},
};

}  // namespace

Result<std::vector<Claim>> PlainRun(const std::string& engine) {
  TAGFLOW_ASSIGN_OR_RETURN(const ReferenceName reference, ParseReferenceName(engine));
  const bool is_ours = conformance::OptimizedOptionsOf(engine).has_value();
  std::vector<Claim> claims;
  for (const Row& row : kMixture) {
    const int weight = reference.is_reference ? row.of_reference
                       : is_ours              ? row.of_ours
                                              : row.of_others;
    if (weight == 0) continue;
    Claim claim;
    TAGFLOW_ASSIGN_OR_RETURN(claim.property, PropertyOf(row.property));
    if (row.profile[0] != '\0') {
      TAGFLOW_ASSIGN_OR_RETURN(claim.profile, ProfileOf(row.profile));
    }
    claim.weight = weight;
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace tagflow::fuzz
