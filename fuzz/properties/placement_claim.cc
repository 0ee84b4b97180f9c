// A program's graph, cut over devices, gives what it gives whole.

#include <limits>
#include <utility>

#include "fuzz/partition/placed_session.h"
#include "fuzz/partition/placements.h"
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

}  // namespace

Violation Placed(const Program& program, Choices& choices, const Runner& runner) {
  // Of engines the reference alone runs parts.
  if (!runner.is_reference()) return std::nullopt;
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<SubjectRun> whole = SubjectRun::Make(program, *lowered, runner);
  if (!whole.ok()) return Failed("whole", whole.status());
  const Result<AllFetched> expected = whole->RunAll();
  if (!expected.ok()) return Failed("whole", expected.status());
  for (int i = 0; i < kPlacements; ++i) {
    std::string what;
    Placement placement = DrawPlacement(lowered->graph, choices, &what);
    const uint64_t seed = choices.Below(std::numeric_limits<int32_t>::max());
    const PlacedRunner placed(std::move(placement), seed);
    Result<SubjectRun> cut = SubjectRun::Make(program, *lowered, placed);
    if (!cut.ok()) return Failed(what, cut.status());
    const Result<AllFetched> actual = cut->RunAll();
    if (!actual.ok()) return Failed(what, actual.status());
    if (const Violation difference = DifferenceOf(program, *expected, *actual)) {
      return what + ": " + *difference;
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
