// A program's graph, cut over devices, gives what it gives whole.

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/on_devices.h"
#include "fuzz/engines/program_run.h"
#include "fuzz/partition/placements.h"
#include "fuzz/placement/question.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "fuzz/properties/with_functions.h"
#include "fuzz/properties/with_gradients.h"
#include "transform/lower/lower.h"

namespace tagflow::fuzz {
namespace {

constexpr int kPlacements = 2;

// Opens sessions of another engine on one placement.
class PlacedEngine : public Engine {
 public:
  PlacedEngine(const Engine& engine, Placement placement, uint64_t seed)
      : engine_(engine), placement_(std::move(placement)), seed_(seed) {}
  Result<std::unique_ptr<EngineSession>> Open(Graph graph,
                                              const std::vector<std::string>&) const override {
    return OpenPlaced(std::move(graph), placement_, seed_);
  }
  Result<std::unique_ptr<EngineSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return engine_.OpenPlaced(std::move(graph), placement, seed);
  }
  Capabilities capabilities() const override {
    return {.is_reference = engine_.capabilities().is_reference, .is_in_process = true};
  }

 private:
  const Engine& engine_;
  const Placement placement_;
  const uint64_t seed_;
};

// A program's graph, what it gives whole, and what it gives on devices.
class PlacedProgram {
 public:
  PlacedProgram(const Program& program, const Engine& engine)
      : program_(program), engine_(engine) {}

  // On one device the engine gives what the evaluator of the tree gives, as near as numbers are; on
  // several it gives what it gives on one, bit for bit.
  Violation Run(Choices& choices) {
    if (!engine_.capabilities().is_reference) {
      if (Violation on_one = EqualsDirect(program_, choices, engine_)) return on_one;
    }
    Result<Lowered> lowered = Lower(program_);
    if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
    lowered_ = *std::move(lowered);
    num_own_ = lowered_.fetches.size();
    if (choices.Chance(kSometimes)) {
      lowered = WithGradients(std::move(lowered_));
      if (!lowered.ok()) return Failed("with gradients", lowered.status());
      lowered_ = *std::move(lowered);
    }
    if (choices.Chance(kSeldom)) {
      const Status status = GoByFunctions(choices);
      if (!status.ok()) return Failed("by way of functions", status);
    }
    Result<ProgramRun> whole = ProgramRun::Make(program_, lowered_, engine_);
    if (!whole.ok()) return Failed("whole", whole.status());
    Result<AllFetched> expected = RunWithGradients(*whole);
    if (!expected.ok()) return Failed("whole", expected.status());
    expected_ = *std::move(expected);
    return std::nullopt;
  }

  // REQUIRES: Run found nothing.
  Violation RunOn(Placement placement, uint64_t seed, const std::string& what) const {
    const PlacedEngine placed(engine_, std::move(placement), seed);
    Result<ProgramRun> cut = ProgramRun::Make(program_, lowered_, placed);
    if (!cut.ok()) return FailedOn(what, cut.status(), seed);
    const Result<AllFetched> actual = RunWithGradients(*cut);
    if (!actual.ok()) return FailedOn(what, actual.status(), seed);
    Violation difference =
        DifferenceWithGradients(program_, lowered_, num_own_, expected_, *actual);
    return difference ? what + ": " + *difference : difference;
  }

  const Lowered& lowered() const { return lowered_; }

 private:
  // Makes functions of it, and primitives again: the graph that a functional one is run as.
  Status GoByFunctions(Choices& choices) {
    TAGFLOW_ASSIGN_OR_RETURN(const CallSpec call, WholeCallOf(lowered_));
    TAGFLOW_ASSIGN_OR_RETURN(RecoveredGraph made, WithFunctions(lowered_, call, choices));
    lowered_.init = TargetsOf(made.graph, made.call);
    LowerFunctions(made.graph);
    lowered_.graph = std::move(made.graph);
    return Status();
  }

  // Of a device that has little memory, one error is as it should be.
  Violation FailedOn(const std::string& what, const Status& status, uint64_t seed) const {
    constexpr size_t kSome = 1;  // not the first
    const bool lacks_memory = !engine_.capabilities().is_reference &&
                              DeviceWay(seed).MayLackMemory(kSome) &&
                              status.code() == Code::kResourceExhausted &&
                              status.message().find("/device:SIM:") != std::string::npos;
    if (lacks_memory) return std::nullopt;
    return Failed(what, status);
  }
  const Program& program_;
  const Engine& engine_;
  Lowered lowered_;
  size_t num_own_ = 0;  // fetches of the program itself; gradients come behind
  AllFetched expected_;
};

uint64_t DrawSeed(Choices& choices) { return choices.Below(std::numeric_limits<int32_t>::max()); }

}  // namespace

Violation Placed(const Program& program, Choices& choices, const Engine& engine) {
  PlacedProgram placed(program, engine);
  if (Violation violation = placed.Run(choices)) return violation;
  for (int i = 0; i < kPlacements; ++i) {
    std::string what;
    Placement placement = DrawPlacement(placed.lowered().graph, {}, choices, &what);
    const uint64_t seed = DrawSeed(choices);
    if (Violation violation = placed.RunOn(std::move(placement), seed, what)) return violation;
  }
  return std::nullopt;
}

Violation PlacedByCost(const Program& program, Choices& choices, const Engine& engine) {
  PlacedProgram placed(program, engine);
  if (Violation violation = placed.Run(choices)) return violation;
  Result<PlacementReport> report = PlaceSoftly(placed.lowered(), choices);
  if (!report.ok()) return Failed("not placed", report.status());
  const std::string what = report->candidates[report->chosen].name;
  return placed.RunOn(std::move(report->placement), DrawSeed(choices), what);
}

}  // namespace tagflow::fuzz
