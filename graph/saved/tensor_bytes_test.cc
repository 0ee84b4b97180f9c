#include "graph/saved/tensor_bytes.h"

#include <gtest/gtest.h>

namespace tagflow {
namespace {

using namespace std::string_literals;

// What TensorFlow 2.21 writes.
const std::string kFloats = "\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\xc0?\x00\x00\x00@"s;
const std::string kTexts = "\x08\x07\x12\x04\x12\x02\x08\x02\"\x05\x02\x01"s + "abc";
const std::string kNothing = "\x08\x03\x12\x02\x12\x00"s;

std::string Read(const std::string& bytes) {
  const Result<std::vector<Tensor>> tensors = TensorsFromBytes({&bytes, 1});
  return tensors.ok() ? tensors->front().DebugString() : tensors.status().ToString();
}

TEST(TensorBytesTest, AreThoseOfTensorFlow) {
  EXPECT_EQ(*TensorToBytes(Tensor::Vector<float>({1.5, 2})), kFloats);
  EXPECT_EQ(*TensorToBytes(Tensor::Vector<std::string>({"ab", "c"})), kTexts);
  EXPECT_EQ(*TensorToBytes(Tensor::Vector<int32_t>({})), kNothing);
  EXPECT_EQ(Read(kFloats), "float[2] [1.5, 2]");
  EXPECT_EQ(Read(kTexts), "string[2] [\"ab\", \"c\"]");
  EXPECT_EQ(Read(kNothing), "int32[0] []");
}

TEST(TensorBytesTest, ElementsMayBeInTheFieldOfTheirDType) {
  EXPECT_EQ(Read("\x08\x09\x12\x04\x12\x02\x08\x02R\x01\x07"s), "int64[2] [7, 7]");
  EXPECT_EQ(Read("\x08\x09\x12\x00R\x01\x07"s), "int64[] 7");
}

TEST(TensorBytesTest, BadBytesAreErrors) {
  EXPECT_EQ(Read("x"), "INVALID_ARGUMENT: Could not parse serialized proto");
  EXPECT_EQ(Read(kFloats.substr(0, kFloats.size() - 1)),
            "INVALID_ARGUMENT: Could not parse serialized proto");
  EXPECT_EQ(Read("").substr(0, 60), "INVALID_ARGUMENT: Could not construct tensor from proto: the");
  // 2^62 numbers, none of which is there.
  const std::string many = "\x08\x09\x12\x0c\x12\x0a\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40"s;
  EXPECT_EQ(Read(many).substr(0, 18), "RESOURCE_EXHAUSTED");
}

TEST(TensorBytesTest, HandlesHaveNone) {
  EXPECT_EQ(TensorToBytes(Tensor::Scalar(Variant())).status().code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace tagflow
