// Tests: tensor_array.cc tensor_array_ops.cc tensor_array_rows.cc

#include <gtest/gtest.h>

#include "optimized/kernels/op_runner.h"

namespace tagflow::optimized {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class TensorArrays : public ::testing::TestWithParam<OpRunner::Inputs> {
 protected:
  Tensor New(int size, AttrMap attrs = {}, DType dtype = DType::kInt32) {
    attrs.emplace_back("dtype", dtype);
    return (*runner_.Run("TensorArrayV3", {Int(size)}, std::move(attrs)))[0];
  }
  Tensor GradientOf(const Tensor& array) {
    return (*runner_.Run("TensorArrayGradV3", {array, Float(0)}, {{"source", "g"}}))[0];
  }
  std::string Write(const Tensor& array, int index, Tensor value) {
    return runner_.Text("TensorArrayWriteV3", {array, Int(index), std::move(value), Float(0)});
  }
  std::string Read(const Tensor& array, int index, DType dtype = DType::kInt32) {
    return runner_.Text("TensorArrayReadV3", {array, Int(index), Float(0)}, {{"dtype", dtype}});
  }
  std::string Size(const Tensor& array) {
    return runner_.Text("TensorArraySizeV3", {array, Float(0)});
  }
  std::string Gather(const Tensor& array, const std::vector<int32_t>& indices,
                     PartialShape shape = PartialShape(), DType dtype = DType::kInt32) {
    return runner_.Text("TensorArrayGatherV3", {array, Ints(indices), Float(0)},
                        {{"dtype", dtype}, {"element_shape", std::move(shape)}});
  }
  std::string Scatter(const Tensor& array, const std::vector<int32_t>& indices, Tensor value) {
    return runner_.Text("TensorArrayScatterV3", {array, Ints(indices), std::move(value), Float(0)});
  }
  std::string Split(const Tensor& array, Tensor value, const std::vector<int64_t>& lengths) {
    return runner_.Text("TensorArraySplitV3",
                        {array, std::move(value), Tensor::Vector(lengths), Float(0)});
  }
  std::string Concat(const Tensor& array, PartialShape shape = PartialShape()) {
    return runner_.Text("TensorArrayConcatV3", {array, Float(0)},
                        {{"dtype", DType::kInt32}, {"element_shape_except0", std::move(shape)}});
  }

  static constexpr char kFlow[] = "float[] 0";
  OpRunner runner_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(, TensorArrays,
                         ::testing::Values(OpRunner::Inputs::kLast, OpRunner::Inputs::kShared));

TEST_P(TensorArrays, AnElementIsWrittenOnceAndReadOnce) {
  const Tensor array = New(3);
  EXPECT_EQ(Write(array, 1, Int(7)), kFlow);
  EXPECT_TRUE(Contains(Write(array, 1, Int(8)), "because it has already been written to."));
  EXPECT_EQ(Read(array, 1), "int32[] 7");
  EXPECT_TRUE(Contains(Read(array, 1), "INVALID_ARGUMENT: TensorArray node: Could not read index"));
  EXPECT_TRUE(Contains(Write(array, 1, Int(8)), "because it has already been read."));
  EXPECT_TRUE(Contains(Write(array, 5, Int(8)), "is not resizeable and size is: 3"));
  EXPECT_TRUE(Contains(Write(array, -1, Int(8)), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Read(array, 3), "INVALID_ARGUMENT: Tried to read from index 3"));
  EXPECT_TRUE(Contains(Read(array, -1), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(Read(array, 0), "Could not read from TensorArray index 0."));
  EXPECT_TRUE(Contains(Write(array, 0, Float(1)), "the value dtype is float"));
  EXPECT_TRUE(Contains(Read(array, 0, DType::kFloat), "Op requested dtype float"));
}

TEST_P(TensorArrays, WhatWasNeverWrittenIsZeroIfItsShapeIsKnown) {
  const Tensor array = New(2, {{"element_shape", PartialShape(Dims{2})}});
  EXPECT_EQ(Read(array, 0), "int32[2] [0, 0]");
  EXPECT_TRUE(Contains(Write(array, 1, Int(1)), "(consider setting infer_shape=False)"));
  const Tensor texts = New(1, {{"element_shape", PartialShape(Dims{})}}, DType::kString);
  EXPECT_TRUE(Contains(Read(texts, 0, DType::kString), "INVALID_ARGUMENT"));
}

TEST_P(TensorArrays, GrowWhenTheyMay) {
  const Tensor array = New(0, {{"dynamic_size", true}, {"clear_after_read", false}});
  EXPECT_EQ(Write(array, 2, Int(7)), kFlow);
  EXPECT_EQ(Size(array), "int32[] 3");
  EXPECT_EQ(Read(array, 2), "int32[] 7");
  EXPECT_EQ(Read(array, 2), "int32[] 7");
  EXPECT_TRUE(Contains(Write(array, 1 << 30, Int(7)), "RESOURCE_EXHAUSTED"));
  GradientOf(array);
  EXPECT_TRUE(Contains(Write(array, 3, Int(1)), "is not resizeable and size is: 3"));
}

TEST_P(TensorArrays, HaveASizeThatMakesSense) {
  const AttrMap attrs = {{"dtype", DType::kInt32}};
  EXPECT_TRUE(Contains(runner_.Text("TensorArrayV3", {Int(-1)}, attrs), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(runner_.Text("TensorArrayV3", {Ints({1})}, attrs), "INVALID_ARGUMENT"));
  EXPECT_TRUE(Contains(runner_.Text("TensorArrayV3", {Int(1 << 30)}, attrs), "RESOURCE_EXHAUSTED"));
}

TEST_P(TensorArrays, LearnIdenticalShapes) {
  const Tensor array = New(3, {{"identical_element_shapes", true}});
  EXPECT_EQ(Write(array, 0, Ints({1, 2})), kFlow);
  EXPECT_TRUE(Contains(Write(array, 1, Int(1)), "inferred element shape: [2]"));
}

TEST_P(TensorArrays, GatherAndScatter) {
  const Tensor array = New(2);
  EXPECT_EQ(Scatter(array, {1, 0}, Ints(Dims{2, 2}, {1, 2, 3, 4})), kFlow);
  EXPECT_EQ(Gather(array, {0, 1}), "int32[2,2] [[3, 4], [1, 2]]");
  EXPECT_EQ(Gather(array, {}, PartialShape(Dims{2})), "int32[0,2] []");
  EXPECT_TRUE(Contains(Gather(New(0), {}), "UNIMPLEMENTED: TensorArray has size zero"));
  EXPECT_TRUE(Contains(Gather(array, {}, PartialShape(Dims{3})), "INVALID_ARGUMENT"));
  EXPECT_EQ(Scatter(array, {2}, Ints({1})),
            "INVALID_ARGUMENT: Max scatter index must be < array size (2 vs. 2)");
  EXPECT_TRUE(Contains(Scatter(array, {0}, Ints({1, 2})), "INVALID_ARGUMENT: Expected len"));
  EXPECT_TRUE(Contains(Scatter(array, {0}, Int(1)), "INVALID_ARGUMENT: Input value for unpack"));
  const Tensor uneven = New(2);
  EXPECT_EQ(Write(uneven, 0, Int(1)), kFlow);
  EXPECT_EQ(Write(uneven, 1, Ints({1})), kFlow);
  EXPECT_TRUE(Contains(Gather(uneven, {0, 1}), "INVALID_ARGUMENT: TensorArray has inconsistent"));
}

TEST_P(TensorArrays, HoldTexts) {
  const Tensor array = New(2, {}, DType::kString);
  EXPECT_EQ(Scatter(array, {0, 1}, Strings({"a", "b"})), kFlow);
  EXPECT_EQ(Gather(array, {1, 0}, PartialShape(), DType::kString), "string[2] [\"b\", \"a\"]");
}

TEST_P(TensorArrays, SplitAndConcatenate) {
  const Tensor array = New(2);
  EXPECT_EQ(Split(array, Ints({1, 2, 3}), {1, 2}), kFlow);
  EXPECT_EQ(Concat(GradientOf(array)), "int32[3] [0, 0, 0]; int64[2] [1, 2]");
  EXPECT_EQ(Concat(array), "int32[3] [1, 2, 3]; int64[2] [1, 2]");
  EXPECT_TRUE(Contains(Split(array, Ints({1, 2}), {-1, 3}), "INVALID_ARGUMENT: Expected lengths"));
  EXPECT_TRUE(Contains(Split(array, Ints({1, 2, 3}), {1, 1}), "sum of lengths is 2"));
  EXPECT_TRUE(Contains(Split(array, Ints({1, 2, 3}), {3}), "(2 vs. 1)"));
  EXPECT_TRUE(Contains(Split(array, Int(1), {1}), "INVALID_ARGUMENT"));
  EXPECT_EQ(Concat(New(0), PartialShape(Dims{4})), "int32[0,4] []; int64[0] []");
  EXPECT_TRUE(Contains(Concat(New(0)), "UNIMPLEMENTED"));
  // What its source was split into counts, and not what is split into a gradient array.
  const Tensor grown = New(1, {{"dynamic_size", true}});
  EXPECT_EQ(Split(grown, Ints({1, 2}), {2}), kFlow);
  EXPECT_EQ(Write(grown, 1, Ints({3})), kFlow);
  const Tensor gradient = GradientOf(grown);
  EXPECT_EQ(Split(gradient, Ints({4, 5, 6}), {2, 1}), kFlow);
  EXPECT_EQ(Concat(gradient), "int32[2] [4, 5]; int64[1] [2]");
  // TensorFlow ends the process on this one.
  EXPECT_TRUE(Contains(Concat(GradientOf(New(2))), "INVALID_ARGUMENT"));
  const Tensor scalars = New(1);
  EXPECT_EQ(Write(scalars, 0, Int(1)), kFlow);
  EXPECT_TRUE(Contains(Concat(scalars), "INVALID_ARGUMENT: Concat saw a scalar shape"));
}

TEST_P(TensorArrays, AGradientArrayAddsUp) {
  const Tensor array = New(2);
  EXPECT_EQ(Write(array, 0, Ints({1, 2})), kFlow);
  EXPECT_EQ(Write(array, 1, Int(1)), kFlow);
  EXPECT_EQ(Read(array, 1), "int32[] 1");
  const Tensor gradient = GradientOf(array);
  Tensor first = Ints({3, 4});
  EXPECT_EQ(Write(gradient, 0, first), kFlow);
  EXPECT_EQ(Write(GradientOf(array), 0, Ints({10, 10})), kFlow);
  EXPECT_EQ(first.DebugString(), "int32[2] [3, 4]");
  EXPECT_TRUE(Contains(Write(gradient, 0, Int(1)), "Could not aggregate"));
  EXPECT_EQ(Read(GradientOf(array), 0), "int32[2] [13, 14]");
  EXPECT_EQ(Read(gradient, 1), "int32[] 0");
  EXPECT_TRUE(Contains(Write(GradientOf(New(1)), 1, Int(1)), "not resizeable"));
  EXPECT_TRUE(Contains(runner_.Text("TensorArrayGradV3", {gradient, Float(0)}, {{"source", "h"}}),
                       "INVALID_ARGUMENT"));
}

TEST_P(TensorArrays, AGradientArrayIsAsLongAsItsReads) {
  const Tensor gradient = GradientOf(New(1, {{"element_shape", PartialShape(Dims{1})}}));
  EXPECT_EQ(Read(gradient, 2), "int32[1] [0]");
  EXPECT_EQ(Size(gradient), "int32[] 3");
  EXPECT_EQ(Read(gradient, 1), "int32[1] [0]");
}

TEST_P(TensorArrays, AGradientArrayMayHaveDimensionsBefore) {
  const Tensor array = New(1);
  EXPECT_EQ(Write(array, 0, Ints({1, 2})), kFlow);
  const auto gradient =
      runner_.Run("TensorArrayGradWithShape", {array, Float(0), Ints({2})}, {{"source", "g"}});
  EXPECT_EQ(Read((*gradient)[0], 0), "int32[2,2] [[0, 0], [0, 0]]");
}

TEST_P(TensorArrays, AClosedOneIsOfNoUse) {
  const Tensor array = New(1);
  EXPECT_EQ(runner_.Text("TensorArrayCloseV3", {array}), "");
  EXPECT_TRUE(Contains(Size(array), "has already been closed."));
  const Tensor other = New(1);
  runner_.step.End();
  EXPECT_TRUE(Contains(Read(other, 0), "has already been closed."));
  EXPECT_TRUE(Contains(Size(Tensor::Scalar(ResourceHandle())), "not of a TensorArray"));
}

}  // namespace
}  // namespace tagflow::optimized
