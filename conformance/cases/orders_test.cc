// Every text case on the reference, in several random orders of its ready nodes: each order must
// give what the case says, and no step may have a race unless the case is about one. Spec: [race.3]

#include <gtest/gtest.h>

#include <algorithm>

#include "conformance/case_file.h"
#include "conformance/judge.h"
#include "conformance/reference_servant.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"
#include "reference/races.h"
#include "reference/session.h"

namespace tagflow::conformance {
namespace {

constexpr uint64_t kSeeds = 4;
constexpr int64_t kMaxFirings = 1'000'000;

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  const Result<std::vector<std::string>> paths = FindCases({"conformance/cases"});
  EXPECT_TRUE(paths.ok()) << paths.status().ToString();
  if (!paths.ok()) return cases;
  for (const std::string& path : *paths) {
    Result<Case> test = ReadCase(path);
    EXPECT_TRUE(test.ok()) << test.status().ToString();
    if (test.ok()) cases.push_back(*std::move(test));
  }
  return cases;
}

bool IsAboutARace(const Case& test) {
  return std::any_of(test.rules().begin(), test.rules().end(),
                     [](const std::string& rule) { return rule == "race.1" || rule == "race.2"; });
}

// The reference with its ready nodes in the order of a seed.
class SeededEngine : public Engine {
 public:
  explicit SeededEngine(uint64_t seed) : engine_(MakeReferenceServant()), seed_(seed) {}

  Reply Ask(const Request& request, Clock::time_point deadline) override {
    Request seeded = request;
    if (seeded.has_load()) seeded.mutable_load()->mutable_options()->set_seed(seed_);
    return engine_.Ask(seeded, deadline);
  }

 private:
  InProcessEngine engine_;
  uint64_t seed_;
};

TEST(OrdersTest, EveryOrderGivesWhatTheCaseSays) {
  const std::vector<Case> cases = AllCases();
  ASSERT_FALSE(cases.empty());
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SeededEngine engine(seed);
    for (const Case& test : cases) {
      const CaseResult result = RunCase(test, engine, /*timeout_s=*/60);
      EXPECT_TRUE(result.verdict == Verdict::kPass || result.verdict == Verdict::kUnsupported)
          << test.name() << ", seed " << seed << ": " << result.why;
    }
  }
}

// The races of all the steps, in words; of those that fail, up to the error.
std::vector<std::string> RacesOf(const Case& test, reference::Session& session) {
  std::vector<std::string> races;
  for (const Step& step : test.steps()) {
    reference::NamedTensors feeds;
    for (const NamedTensor& feed : step.feeds()) {
      Result<Tensor> value = TensorFromProto(feed.value());
      if (value.ok()) feeds.emplace_back(feed.name(), *std::move(value));
    }
    reference::History history;
    reference::RunOptions options;
    options.history = &history;
    options.max_firings = kMaxFirings;
    (void)session.Run(feeds, {step.fetches().begin(), step.fetches().end()},
                      {step.targets().begin(), step.targets().end()}, options);
    for (const reference::Race& race : reference::FindRaces(history)) {
      races.push_back(race.ToString(history));
    }
  }
  return races;
}

TEST(OrdersTest, CasesThatAreNotAboutRacesHaveNone) {
  for (const Case& test : AllCases()) {
    if (IsAboutARace(test)) continue;
    Result<Graph> graph = ImportGraph(test.graph());
    if (!graph.ok()) continue;
    Result<std::unique_ptr<reference::Session>> session =
        reference::Session::Create(*std::move(graph));
    if (!session.ok()) continue;
    const std::vector<std::string> races = RacesOf(test, **session);
    EXPECT_TRUE(races.empty()) << test.name() << ": " << races.front();
  }
}

}  // namespace
}  // namespace tagflow::conformance
