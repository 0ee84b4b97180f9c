#include "conformance/reference_servant.h"

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

bool Never() { return false; }

constexpr const char* kGraph = R"(graph {
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Square" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "odd" op: "NobodyHasThis" input: "x" } })";

class ReferenceServantTest : public ::testing::Test {
 protected:
  Response Step(const std::string& run) {
    return servant_->RunStep(FromText<conformance::Run>(run), Never);
  }
  std::unique_ptr<Servant> servant_ = MakeReferenceServant();
};

TEST_F(ReferenceServantTest, RunsWhatItLoaded) {
  EXPECT_TRUE(servant_->LoadGraph(FromText<Load>(kGraph)).has_loaded());
  const Response response = Step(
      "feeds { name: 'x' value { dtype: DT_FLOAT tensor_shape {} float_val: 3 } } fetches: 'y'");
  ASSERT_EQ(response.values().values_size(), 1) << response.ShortDebugString();
  EXPECT_EQ(response.values().values(0).float_val(0), 9);
}

TEST_F(ReferenceServantTest, WhatItLacksIsUnsupported) {
  EXPECT_TRUE(servant_->LoadGraph(FromText<Load>(kGraph)).has_loaded());
  EXPECT_NE(Step("feeds { name: 'x' value { dtype: DT_FLOAT tensor_shape {} } } fetches: 'odd'")
                .unsupported(),
            "");
  EXPECT_NE(Step("feeds { name: 'x' value { dtype: DT_INT4 tensor_shape {} } } fetches: 'y'")
                .unsupported(),
            "");
}

TEST_F(ReferenceServantTest, ErrorsCarryTheirCodes) {
  EXPECT_EQ(Step("fetches: 'y'").error().code(), "FAILED_PRECONDITION");  // nothing loaded
  EXPECT_EQ(servant_->LoadGraph(FromText<Load>("graph { node { name: 'x' op: 'F' input: 'z' } }"))
                .error()
                .code(),
            "INVALID_ARGUMENT");
  EXPECT_TRUE(servant_->LoadGraph(FromText<Load>(kGraph)).has_loaded());
  EXPECT_TRUE(Step("fetches: 'nowhere'").has_error());
  servant_->CloseGraph();
  EXPECT_EQ(Step("fetches: 'y'").error().code(), "FAILED_PRECONDITION");
}

}  // namespace
}  // namespace tagflow::conformance
