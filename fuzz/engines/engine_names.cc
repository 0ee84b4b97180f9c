#include "fuzz/engines/engine_names.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include "conformance/engines.h"
#include "fuzz/engines/optimized_engine.h"
#include "fuzz/engines/own_kernels.h"
#include "fuzz/engines/protocol_engine.h"
#include "fuzz/engines/reference_engine.h"

namespace tagflow::fuzz {
namespace {

constexpr std::string_view kOptimized = "optimized";

enum class Threads : uint8_t { kOne, kAsNamed, kSimulated };
struct Way {
  std::string_view ending;
  Threads threads;  // unless the name says how many
};
constexpr Way kWays[] = {{"", Threads::kOne},
                         {"-tokens", Threads::kOne},
                         {"-simplified", Threads::kOne},
                         {"-unlowered", Threads::kOne},
                         {"-tokens", Threads::kSimulated},
                         {"", Threads::kAsNamed},
                         {"-simplified", Threads::kOne},
                         {"-simplified", Threads::kOne},
                         {"-tokens", Threads::kAsNamed},
                         {"-tokens-simplified", Threads::kSimulated},
                         {"-native", Threads::kOne},
                         {"-native", Threads::kSimulated}};
constexpr uint64_t kSchedules = 12;
// One schedule in three has kernels that complete by themselves.
constexpr uint64_t kAsyncEach = 3, kAsync = 1;

}  // namespace

Result<ReferenceName> ParseReferenceName(const std::string& name) {
  constexpr std::string_view kPrefix = "reference:";
  if (name == "reference") return ReferenceName{true, 0};
  if (!name.starts_with(kPrefix)) return ReferenceName{};
  ReferenceName found{true, 0};
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, found.seed);
  if (error == std::errc() && stop == end) return found;
  return InvalidArgument("'" + name + "': what follows 'reference:' is the number of an order");
}

Result<std::unique_ptr<Engine>> MakeEngine(const EngineOptions& options) {
  if (options.name == kDirect) return std::unique_ptr<Engine>();
  TAGFLOW_ASSIGN_OR_RETURN(const ReferenceName reference, ParseReferenceName(options.name));
  if (reference.is_reference) {
    return options.mutant != nullptr ? MutantEngine(*options.mutant, reference.seed)
                                     : ReferenceEngine(reference::StandardRules(), reference.seed);
  }
  const auto named = conformance::OptimizedOptionsOf(options.name);
  if (named.has_value() && !options.has_own_process) {
    optimized::SessionOptions session = conformance::SessionOptionsOf(*named);
    if (named->seed % kAsyncEach == kAsync) session.kernels = &AsyncKernels();
    return OptimizedEngine(session, named->seed);
  }
  conformance::EngineOptions started;
  started.engine = options.name;
  TAGFLOW_ASSIGN_OR_RETURN(const conformance::EngineFactory factory,
                           conformance::FactoryFor(started));
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<conformance::Engine> engine, factory());
  return ProtocolEngine(std::move(engine), options.timeout_s);
}

std::string EngineNameFor(const std::string& name, uint64_t index) {
  // One with the seed of a schedule asks for just that.
  const bool has_threads = name.starts_with("optimized:") && std::ranges::count(name, ':') == 1;
  if (name != kOptimized && !has_threads) return name;
  // The same kind of sample comes again every hundred, and each kind goes all ways.
  const Way& way = kWays[(index + index / 100) % std::size(kWays)];
  std::string made = name;
  if (!has_threads && way.threads == Threads::kOne) made += ":1";
  if (!has_threads && way.threads == Threads::kSimulated) {
    // Three workers, in one of a few orders: each is an engine of its own, which is kept.
    made += ":3:" + std::to_string(1 + index / std::size(kWays) % kSchedules);
  }
  return made.insert(kOptimized.size(), way.ending);
}

}  // namespace tagflow::fuzz
