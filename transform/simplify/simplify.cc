#include "transform/simplify/simplify.h"

#include <algorithm>
#include <array>
#include <utility>

#include "transform/simplify/fold_constants.h"
#include "transform/simplify/fold_switches.h"
#include "transform/simplify/hoist_invariants.h"
#include "transform/simplify/merge_equal_nodes.h"
#include "transform/simplify/remove_dead_variables.h"
#include "transform/simplify/remove_identities.h"
#include "transform/simplify/survey.h"

namespace tagflow {
namespace {

struct PassEntry {
  Pass pass;
  std::string_view name;
  int64_t (*run)(Graph&, const CallSpec&, const Evaluate&);
};

// A pass that needs no engine.
template <int64_t (*kRun)(Graph&, const CallSpec&)>
int64_t Plain(Graph& graph, const CallSpec& call, const Evaluate&) {
  return kRun(graph, call);
}

int64_t Fold(Graph& graph, const CallSpec& call, const Evaluate& evaluate) {
  return evaluate ? FoldConstants(graph, call, evaluate) : 0;
}

constexpr std::array<PassEntry, 6> kPasses = {{
    {Pass::kConstants, "constants", Fold},
    {Pass::kSwitches, "switches", Plain<FoldSwitches>},
    {Pass::kIdentities, "identities", Plain<RemoveIdentities>},
    {Pass::kDuplicates, "duplicates", Plain<MergeEqualNodes>},
    {Pass::kInvariants, "invariants", Plain<HoistInvariants>},
    {Pass::kVariables, "variables", Plain<RemoveDeadVariables>},
}};

const PassEntry* FindPass(std::string_view name) {
  const auto found = std::ranges::find(kPasses, name, &PassEntry::name);
  return found == kPasses.end() ? nullptr : &*found;
}

// Gives every Enter of a frame the parallel_iterations that applies, the smallest, as a pass may
// leave nobody to need the one that has it, and 1 keeps iterations in order ([order.1]).
void AgreeOnRunAhead(Graph& graph, const CallSpec& call) {
  const Result<ValidatedCall> valid = ValidateCall(graph, call);
  if (!valid.ok()) return;
  for (const StaticFrame& frame : valid->frames.frames) {
    for (const NodeId enter : frame.enters) {
      graph.SetAttr(enter, "parallel_iterations", frame.parallel_iterations);
    }
  }
}

Status NoSuchPass(std::string_view name) {
  std::string names;
  for (const PassEntry& entry : kPasses) names += std::string(", ") + std::string(entry.name);
  return InvalidArgument("there is no pass '" + std::string(name) + "': none, all" + names);
}

}  // namespace

Passes Passes::All() {
  Passes all;
  for (const PassEntry& entry : kPasses) all = all.With(entry.pass);
  return all;
}

Result<Passes> Passes::Parse(std::string_view text) {
  if (text == "none") return None();
  if (text == "all") return All();
  Passes passes;
  for (;;) {
    const size_t comma = text.find(',');
    const PassEntry* entry = FindPass(text.substr(0, comma));
    if (entry == nullptr) return NoSuchPass(text.substr(0, comma));
    passes = passes.With(entry->pass);
    if (comma == text.npos) return passes;
    text.remove_prefix(comma + 1);
  }
}

const std::vector<Pass>& AllPasses() {
  static const auto& all = *[] {
    auto* passes = new std::vector<Pass>;
    for (const PassEntry& entry : kPasses) passes->push_back(entry.pass);
    return passes;
  }();
  return all;
}

std::string_view PassName(Pass pass) {
  return std::ranges::find(kPasses, pass, &PassEntry::pass)->name;
}

int64_t RunPass(Pass pass, Graph& graph, const CallSpec& call, const Evaluate& evaluate) {
  AgreeOnRunAhead(graph, call);
  return std::ranges::find(kPasses, pass, &PassEntry::pass)->run(graph, call, evaluate);
}

std::optional<CallGraph> Simplify(const Graph& graph, const CallSpec& call,
                                  const ValidatedCall& valid, const SimplifyOptions& options) {
  if (options.passes.empty()) return std::nullopt;
  if (options.if_worthwhile && !IsWorthwhile(graph, call, valid, options.passes)) {
    return std::nullopt;
  }
  CallGraph made = Prune(graph, call, valid.needed);
  if (!valid.frames.warnings.empty()) AgreeOnRunAhead(made.graph, made.call);
  bool changed = false;
  for (int round = 0; round < kMaxRounds; ++round) {
    int64_t changes = 0;
    for (const PassEntry& entry : kPasses) {
      if (!options.passes.Has(entry.pass)) continue;
      changes += entry.run(made.graph, made.call, options.evaluate);
    }
    if (changes == 0) break;
    changed = true;
  }
  if (!changed) return std::nullopt;
  return Prune(made.graph, made.call, NeededNodes(made.graph, made.call));
}

}  // namespace tagflow
