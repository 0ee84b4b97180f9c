// A program's graph, cut over devices, gives what it gives whole.

#include <limits>
#include <utility>

#include "fuzz/partition/placements.h"
#include "fuzz/placement/question.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/subject_run.h"

namespace tagflow::fuzz {
namespace {

constexpr int kPlacements = 2;

// Opens sessions of another runner on one placement.
class PlacedRunner : public Runner {
 public:
  PlacedRunner(const Runner& runner, Placement placement, uint64_t seed)
      : runner_(runner), placement_(std::move(placement)), seed_(seed) {}
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    return OpenPlaced(std::move(graph), placement_, seed_);
  }
  Result<std::unique_ptr<RunnerSession>> OpenPlaced(Graph graph, const Placement& placement,
                                                    uint64_t seed) const override {
    return runner_.OpenPlaced(std::move(graph), placement, seed);
  }
  bool is_reference() const override { return runner_.is_reference(); }

 private:
  const Runner& runner_;
  const Placement placement_;
  const uint64_t seed_;
};

// A program's graph, what it gives whole, and what it gives on devices.
class PlacedProgram {
 public:
  PlacedProgram(const Program& program, const Runner& runner)
      : program_(program), runner_(runner) {}

  // On one device the engine gives what the evaluator of the tree gives, as near as numbers are; on
  // several it gives what it gives on one, bit for bit.
  Violation Run(Choices& choices) {
    if (!runner_.is_reference()) {
      if (Violation on_one = EqualsDirect(program_, choices, runner_)) return on_one;
    }
    Result<Lowered> lowered = Lower(program_);
    if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
    lowered_ = *std::move(lowered);
    Result<SubjectRun> whole = SubjectRun::Make(program_, lowered_, runner_);
    if (!whole.ok()) return Failed("whole", whole.status());
    Result<AllFetched> expected = whole->RunAll();
    if (!expected.ok()) return Failed("whole", expected.status());
    expected_ = *std::move(expected);
    return std::nullopt;
  }

  // REQUIRES: Run found nothing.
  Violation RunOn(Placement placement, uint64_t seed, const std::string& what) const {
    const PlacedRunner placed(runner_, std::move(placement), seed);
    Result<SubjectRun> cut = SubjectRun::Make(program_, lowered_, placed);
    if (!cut.ok()) return Failed(what, cut.status());
    const Result<AllFetched> actual = cut->RunAll();
    if (!actual.ok()) return Failed(what, actual.status());
    const Violation difference = DifferenceOf(program_, expected_, *actual);
    return difference ? what + ": " + *difference : difference;
  }

  const Lowered& lowered() const { return lowered_; }

 private:
  const Program& program_;
  const Runner& runner_;
  Lowered lowered_;
  AllFetched expected_;
};

uint64_t DrawSeed(Choices& choices) { return choices.Below(std::numeric_limits<int32_t>::max()); }

}  // namespace

Violation Placed(const Program& program, Choices& choices, const Runner& runner) {
  PlacedProgram placed(program, runner);
  if (Violation violation = placed.Run(choices)) return violation;
  for (int i = 0; i < kPlacements; ++i) {
    std::string what;
    Placement placement = DrawPlacement(placed.lowered().graph, choices, &what);
    const uint64_t seed = DrawSeed(choices);
    if (Violation violation = placed.RunOn(std::move(placement), seed, what)) return violation;
  }
  return std::nullopt;
}

Violation PlacedByCost(const Program& program, Choices& choices, const Runner& runner) {
  PlacedProgram placed(program, runner);
  if (Violation violation = placed.Run(choices)) return violation;
  Result<PlacementReport> report = PlaceSoftly(placed.lowered(), choices);
  if (!report.ok()) return Failed("not placed", report.status());
  const std::string what = report->candidates[report->chosen].name;
  return placed.RunOn(std::move(report->placement), DrawSeed(choices), what);
}

}  // namespace tagflow::fuzz
