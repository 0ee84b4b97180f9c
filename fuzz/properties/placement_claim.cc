// A program's graph, cut over devices, gives what it gives whole.

#include <limits>
#include <utility>

#include "fuzz/partition/placed_session.h"
#include "fuzz/partition/placements.h"
#include "fuzz/placement/question.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/subject_run.h"

namespace tagflow::fuzz {
namespace {

constexpr int kPlacements = 2;

class PlacedRunnerSession : public RunnerSession {
 public:
  PlacedRunnerSession(Graph graph, Placement placement, uint64_t seed)
      : session_(std::move(graph), std::move(placement)), seed_(seed) {}

  Result<std::vector<Tensor>> Run(const reference::NamedTensors& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets,
                                  const reference::RunOptions& asked) override {
    reference::RunOptions options = asked;
    options.seed = seed_;
    // Control loops, Sends and Recvs fire too, on each device.
    options.max_firings = asked.max_firings * 10;
    return session_.Run(feeds, fetches, targets, options);
  }
  const Graph& graph() const override { return session_.graph(); }

 private:
  PlacedSession session_;
  const uint64_t seed_;
};

// Opens sessions on one placement, with a random order of firings.
class PlacedRunner : public Runner {
 public:
  PlacedRunner(Placement placement, uint64_t seed)
      : placement_(std::move(placement)), seed_(seed) {}
  Result<std::unique_ptr<RunnerSession>> Open(Graph graph) const override {
    return std::unique_ptr<RunnerSession>(
        new PlacedRunnerSession(std::move(graph), placement_, seed_));
  }
  bool is_reference() const override { return true; }

 private:
  const Placement placement_;
  const uint64_t seed_;
};

// A program's graph, what it gives whole, and what it gives on devices.
class PlacedProgram {
 public:
  PlacedProgram(const Program& program, const Runner& runner)
      : program_(program), runner_(runner) {}

  Violation Run() {
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
    const PlacedRunner placed(std::move(placement), seed);
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
  // Of engines the reference alone runs parts.
  if (!runner.is_reference()) return std::nullopt;
  PlacedProgram placed(program, runner);
  if (Violation violation = placed.Run()) return violation;
  for (int i = 0; i < kPlacements; ++i) {
    std::string what;
    Placement placement = DrawPlacement(placed.lowered().graph, choices, &what);
    const uint64_t seed = DrawSeed(choices);
    if (Violation violation = placed.RunOn(std::move(placement), seed, what)) return violation;
  }
  return std::nullopt;
}

Violation PlacedByCost(const Program& program, Choices& choices, const Runner& runner) {
  if (!runner.is_reference()) return std::nullopt;
  PlacedProgram placed(program, runner);
  if (Violation violation = placed.Run()) return violation;
  Result<PlacementReport> report = PlaceSoftly(placed.lowered(), choices);
  if (!report.ok()) return Failed("not placed", report.status());
  const std::string what = report->candidates[report->chosen].name;
  return placed.RunOn(std::move(report->placement), DrawSeed(choices), what);
}

}  // namespace tagflow::fuzz
