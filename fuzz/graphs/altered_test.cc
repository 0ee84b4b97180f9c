// Tests: altered_feeds.cc, wiring.cc

#include "fuzz/graphs/altered.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fuzz/graphs/forecast.h"
#include "fuzz/graphs/observe.h"
#include "graph/validate.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kSamples = 800;

GraphSample Sample(uint64_t seed) {
  Choices choices = Choices::FromSeed(seed);
  return MakeAltered(choices);
}

TEST(Altered, EveryGraphIsValid) {
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    const GraphSample sample = Sample(seed);
    const std::vector<Status> faults = ValidateGraph(sample.graph);
    ASSERT_TRUE(faults.empty()) << "seed " << seed << ": " << faults[0].ToString() << "\n"
                                << ToText(sample);
  }
}

TEST(Altered, TheSameChoicesMakeTheSameGraph) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Choices drawn = Choices::FromSeed(seed);
    const std::string text = ToText(MakeAltered(drawn));
    Choices replayed = Choices::FromNumbers(drawn.drawn());
    EXPECT_EQ(ToText(MakeAltered(replayed)), text);
  }
}

// Values, errors of kernels and of control flow, dead fetches, loops without end: all of them.
TEST(Altered, RunsEndInManyWays) {
  std::map<Code, int> codes;
  std::set<std::string> failing;
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    const GraphSample sample = Sample(seed);
    const Status status = Observer(sample).ObserveRun(0, ObserveOptions()).status;
    ++codes[status.code()];
    // A step that starves with a Recv owed blames no node.
    const NodeId blamed = sample.graph.Find(status.node());
    if (blamed != NodeId::kNone) failing.insert(sample.graph.node(blamed).op);
  }
  EXPECT_GE(codes[Code::kOk], static_cast<int>(kSamples) / 2);
  EXPECT_GE(codes[Code::kInvalidArgument], static_cast<int>(kSamples) / 20);
  EXPECT_LE(codes[Code::kResourceExhausted], static_cast<int>(kSamples) / 10);
  EXPECT_EQ(codes[Code::kInternal], 0);
  EXPECT_GE(failing.size(), 5u);
}

// Of what a builder does not make, or not there.
TEST(Altered, EveryAlterationOccurs) {
  std::map<std::string, int> found;
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    const GraphSample sample = Sample(seed);
    for (const NodeId id : sample.graph.NodeIds()) {
      const Node& node = sample.graph.node(id);
      ++found[node.op];
      if (node.name.starts_with("added")) ++found["added " + node.op];
      if (node.op == "Merge" && node.inputs.size() != 2) ++found["Merge of another number"];
      for (const NodeId control : node.control_inputs) {
        ++found["control edge out of " + sample.graph.node(control).op];
      }
    }
    found["target"] += static_cast<int>(sample.targets.size());
  }
  for (const char* what : {"_SwitchN",
                           "LogicalOr",
                           "SquaredDifference",
                           "Snapshot",
                           "added FloorDiv",
                           "added FloorMod",
                           "added Switch",
                           "added Merge",
                           "added Enter",
                           "added Exit",
                           "added MatMul",
                           "added _Send",
                           "added VarHandleOp",
                           "added TemporaryVariable",
                           "added Size",
                           "added Rank",
                           "added ExpandDims",
                           "Merge of another number",
                           "control edge out of Enter",
                           "control edge out of Merge",
                           "target"}) {
    EXPECT_GE(found[what], 3) << what;
  }
}

// Where a second run is made, what the first counted shows.
TEST(Altered, ARunTellsWhatTheOneBeforeDid) {
  int seen = 0;
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    const GraphSample sample = Sample(seed);
    const std::vector<RunSeen> runs = Observer(sample).Observe(ObserveOptions());
    if (runs.size() < 2 || !runs[1].status.ok()) continue;
    for (size_t i = 0; i < sample.fetches.size(); ++i) {
      // It may be fed, as anything.
      const bool counts =
          sample.fetches[i].starts_with("addedReadVariableOp") && runs[1].values[i].dims().empty();
      seen += counts && runs[1].values[i].scalar<int32_t>() > 0 ? 1 : 0;
    }
  }
  EXPECT_GE(seen, 3);
}

TEST(Altered, AForgetfulOneHasNoVariables) {
  for (uint64_t seed = 0; seed < kSamples; ++seed) {
    Choices choices = Choices::FromSeed(seed);
    const GraphSample sample = MakeAlteredForgetful(choices);
    for (const NodeId id : sample.graph.NodeIds()) {
      EXPECT_NE(sample.graph.node(id).op, "VarHandleOp") << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tagflow::fuzz
