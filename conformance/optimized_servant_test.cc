#include "conformance/optimized_servant.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// A Merge that two live tokens can reach: no structure for straight code.
constexpr const char* kGraph = R"(graph {
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Square" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "m" op: "Merge" input: "x" input: "y" attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "N" value { i: 2 } } } })";

Response Step(Servant& servant, const std::string& fetch) {
  return servant.RunStep(
      FromText<Run>("feeds { name: 'x' value { dtype: DT_FLOAT tensor_shape {} float_val: 3 } } "
                    "fetches: '" +
                    fetch + "'"),
      [] { return false; });
}

TEST(OptimizedServantTest, RunsWhatItLoaded) {
  const auto servant = MakeOptimizedServant();
  EXPECT_EQ(servant->Introduce().name(), "optimized");
  EXPECT_TRUE(servant->LoadGraph(FromText<Load>(kGraph)).has_loaded());
  const Response response = Step(*servant, "y");
  ASSERT_EQ(response.values().values_size(), 1) << response.ShortDebugString();
  EXPECT_EQ(response.values().values(0).float_val(0), 9);
}

TEST(OptimizedServantTest, AnExecutorThatCannotIsUnsupported) {
  const auto servant = MakeOptimizedServant({}, {.executor = optimized::ExecutorChoice::kStraight});
  EXPECT_TRUE(servant->LoadGraph(FromText<Load>(kGraph)).has_loaded());
  EXPECT_NE(Step(*servant, "m").unsupported(), "");
  EXPECT_TRUE(Step(*servant, "y").has_values());
}

TEST(OptimizedServantTest, TokensRunWhatHasNoStructure) {
  const auto servant = MakeOptimizedServant();
  EXPECT_TRUE(servant->LoadGraph(FromText<Load>(kGraph)).has_loaded());
  EXPECT_EQ(Step(*servant, "m").error().code(), "INVALID_ARGUMENT");
}

TEST(OptimizedServantTest, ThreadsOutOfRangeAreRefused) {
  const auto servant = MakeOptimizedServant();
  EXPECT_EQ(
      servant->LoadGraph(FromText<Load>("graph {} options { threads: 100000 }")).error().code(),
      "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace tagflow::conformance
