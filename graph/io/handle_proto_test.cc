#include "graph/io/handle_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tagflow {
namespace {

Status Fill(const TensorProto& proto, Tensor& tensor) {
  TensorBudget budget(1 << 20);
  return HandlesFromProto(proto, tensor, budget);
}

TEST(HandleProto, TheLastHandleStandsForTheMissingOnes) {
  TensorProto proto;
  proto.add_resource_handle_val()->set_name("a");
  proto.add_resource_handle_val()->set_name("b");
  Tensor tensor = *Tensor::Allocate(DType::kResource, Dims{3});
  ASSERT_TRUE(Fill(proto, tensor).ok());
  EXPECT_EQ(tensor.data<ResourceHandle>()[0].name, "a");
  EXPECT_EQ(tensor.data<ResourceHandle>()[1].name, "b");
  EXPECT_EQ(tensor.data<ResourceHandle>()[2].name, "b");
}

TEST(HandleProto, RawBytesHoldStringsAndNothingElse) {
  TensorProto proto;
  proto.set_tensor_content(std::string("\x02\x00xy", 4));
  Tensor strings = *Tensor::Allocate(DType::kString, Dims{2});
  ASSERT_TRUE(Fill(proto, strings).ok());
  EXPECT_THAT(strings.flat<std::string>(), ::testing::ElementsAre("xy", ""));
  Tensor handles = *Tensor::Allocate(DType::kResource, Dims{2});
  EXPECT_EQ(Fill(proto, handles).code(), Code::kInvalidArgument);
}

TEST(HandleProto, ALengthThatNeverEndsIsAnError) {
  TensorProto proto;
  proto.set_tensor_content(std::string(20, '\xff'));
  Tensor strings = *Tensor::Allocate(DType::kString, Dims{1});
  EXPECT_EQ(Fill(proto, strings).code(), Code::kInvalidArgument);
}

TEST(HandleProto, EmptyVariantsAreElementsWithoutType) {
  const Tensor tensor = *Tensor::Allocate(DType::kVariant, Dims{2});
  TensorProto proto;
  ASSERT_TRUE(HandlesToProto(tensor, TensorForm::kCompact, proto).ok());
  ASSERT_EQ(proto.variant_val_size(), 2);
  EXPECT_EQ(proto.variant_val(0).ByteSizeLong(), 0u);
}

}  // namespace
}  // namespace tagflow
