// The limits of ops in graph/limits.h, on both engines: at a limit and below it a call gives a
// value, above it an error.

#include "graph/limits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/session.h"
#include "reference/session.h"

namespace tagflow::conformance {
namespace {

using Feeds = std::vector<std::pair<std::string, Tensor>>;

// A call that fetches "y".
struct Call {
  Graph graph;
  Feeds feeds;
};

// The feeds are placeholders of their names in the text.
Call Of(const std::string& text, Feeds feeds) {
  std::string placeholders;
  for (const auto& [name, value] : feeds) {
    placeholders += name + " = Placeholder() dtype=" + DTypeName(value.dtype()) + "\n";
  }
  return {TestGraph(placeholders + text, OpRegistry::Standard()).Take(), std::move(feeds)};
}

// One element, in so many dimensions.
Tensor OneIn(int64_t dimensions) {
  return *Tensor::Allocate(DType::kFloat, Dims(static_cast<size_t>(dimensions), 1));
}
Tensor Ints(int64_t count, int32_t value = 0) {
  return Tensor::Vector(std::vector<int32_t>(static_cast<size_t>(count), value));
}
Tensor Rows(int64_t rows, int64_t columns) {
  return *Tensor::Allocate(DType::kInt32, Dims{rows, columns});
}

// ---- A call of each limit ----

Call Reverse(int64_t dimensions) {
  return Of("y = ReverseV2(x, axis) T=float Tidx=int32",
            {{"x", OneIn(dimensions)}, {"axis", Ints(1)}});
}

Call ReverseSequence(int64_t dimensions) {
  return Of("y = ReverseSequence(x, lengths) T=float Tlen=int32 seq_dim=1 batch_dim=0",
            {{"x", OneIn(dimensions)}, {"lengths", Ints(1, 1)}});
}

Call Pad(int64_t dimensions) {
  return Of("y = Pad(x, paddings) T=float Tpaddings=int32",
            {{"x", OneIn(dimensions)}, {"paddings", Rows(dimensions, 2)}});
}

Call MirrorPad(int64_t dimensions) {
  return Of("y = MirrorPad(x, paddings) T=float Tpaddings=int32 mode=SYMMETRIC",
            {{"x", OneIn(dimensions)}, {"paddings", Rows(dimensions, 2)}});
}

Call Where(int64_t dimensions) { return Of("y = Where(x) T=float", {{"x", OneIn(dimensions)}}); }

Call Reshape(int64_t dimensions) {
  return Of("y = Reshape(x, shape) T=float Tshape=int32",
            {{"x", OneIn(1)}, {"shape", Ints(dimensions, 1)}});
}

Call ExpandDims(int64_t dimensions) {
  return Of("y = ExpandDims(x, dim) T=float Tdim=int32",
            {{"x", OneIn(dimensions - 1)}, {"dim", Tensor::Scalar<int32_t>(0)}});
}

Call Fill(int64_t dimensions) {
  return Of("y = Fill(shape, x) T=float index_type=int32",
            {{"shape", Ints(dimensions, 1)}, {"x", OneIn(0)}});
}

// With a new dimension before the others.
Call SliceOf(int64_t dimensions) {
  return Of("y = StridedSlice(x, begin, begin, begin) T=float Index=int32 new_axis_mask=1",
            {{"x", OneIn(dimensions - 1)}, {"begin", Ints(1, 1)}});
}

Call StridedSlice(int64_t positions) {
  return Of("y = StridedSlice(x, begin, begin, begin) T=float Index=int32 new_axis_mask=-1",
            {{"x", OneIn(0)}, {"begin", Ints(positions, 1)}});
}

Call ScatterNd(int64_t coordinates) {
  return Of("y = TensorScatterAdd(x, indices, updates) T=float Tindices=int32",
            {{"x", OneIn(coordinates)}, {"indices", Rows(1, coordinates)}, {"updates", OneIn(1)}});
}

Call AsString(int64_t width) {
  return Of("y = AsString(x) T=int32 width=" + std::to_string(width),
            {{"x", Tensor::Scalar<int32_t>(1)}});
}

Call TensorArrayOf(int64_t elements) {
  return Of(R"(
    array = TensorArrayV3(size) dtype=float
    y = TensorArraySizeV3(array, array:1)
  )",
            {{"size", Tensor::Scalar(static_cast<int32_t>(elements))}});
}

Call ListOf(int64_t elements) {
  return Of(R"(
    list = TensorListFromTensor(x, shape) element_dtype=uint8 shape_type=int32
    y = TensorListLength(list)
  )",
            {{"x", *Tensor::Allocate(DType::kUInt8, Dims{elements})}, {"shape", Ints(0)}});
}

// A list without elements, in a list, and so on.
Call NestedLists(int64_t depth) {
  std::string text = R"(
    list1 = EmptyTensorList(shape, none) element_dtype=float shape_type=int32
    empty = EmptyTensorList(shape, none) element_dtype=variant shape_type=int32
  )";
  for (int64_t i = 2; i <= depth; ++i) {
    text += "list" + std::to_string(i) + " = TensorListPushBack(empty, list" +
            std::to_string(i - 1) + ") element_dtype=variant\n";
  }
  text += "zeros = ZerosLike(list" + std::to_string(depth) +
          ") T=variant\n"
          "y = TensorListLength(zeros)\n";
  return Of(text, {{"shape", Ints(0)}, {"none", Tensor::Scalar<int32_t>(-1)}});
}

// The list is one of the elements.
Call ZerosOfList(int64_t elements) {
  return Of(R"(
    list = TensorListFromTensor(x, shape) element_dtype=uint8 shape_type=int32
    zeros = ZerosLike(list) T=variant
    y = TensorListLength(zeros)
  )",
            {{"x", *Tensor::Allocate(DType::kUInt8, Dims{elements - 1})}, {"shape", Ints(0)}});
}

struct Limit {
  std::string name;
  int64_t most;
  std::function<Call(int64_t n)> call;
  Code beyond;
};

std::vector<Limit> Limits() {
  return {
      {"Reverse", kMostReversedDimensions, Reverse, Code::kUnimplemented},
      {"ReverseSequence", kMostSequenceDimensions, ReverseSequence, Code::kInvalidArgument},
      {"Pad", kMostPaddedDimensions, Pad, Code::kUnimplemented},
      {"MirrorPad", kMostMirroredDimensions, MirrorPad, Code::kUnimplemented},
      {"Where", kMostSearchedDimensions, Where, Code::kInvalidArgument},
      {"Reshape", kMostDimensions, Reshape, Code::kInvalidArgument},
      {"ExpandDims", kMostDimensions, ExpandDims, Code::kInvalidArgument},
      {"Fill", kMostDimensions, Fill, Code::kInvalidArgument},
      {"SliceOf", kMostDimensions, SliceOf, Code::kInvalidArgument},
      {"StridedSlice", kMostSlicePositions, StridedSlice, Code::kInvalidArgument},
      {"ScatterNd", kMostIndexedDimensions, ScatterNd, Code::kInvalidArgument},
      {"AsString", kMostDigits, AsString, Code::kInvalidArgument},
      {"TensorArray", kMostListElements, TensorArrayOf, Code::kResourceExhausted},
      {"List", kMostListElements, ListOf, Code::kResourceExhausted},
      {"NestedLists", kMostNestedVariants, NestedLists, Code::kResourceExhausted},
      {"ZerosOfList", kMostVariantElements, ZerosOfList, Code::kResourceExhausted},
  };
}

template <typename Session>
Status RunOn(Call call) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, Session::Create(std::move(call.graph)));
  return session->Run(call.feeds, {"y"}).status();
}

class LimitTest : public testing::TestWithParam<Limit> {};

TEST_P(LimitTest, IsHeldByBothEngines) {
  const Limit& limit = GetParam();
  for (const int64_t n : {limit.most - 1, limit.most, limit.most + 1}) {
    for (const bool is_reference : {true, false}) {
      const Status status = is_reference ? RunOn<reference::Session>(limit.call(n))
                                         : RunOn<optimized::Session>(limit.call(n));
      EXPECT_EQ(status.code(), n > limit.most ? limit.beyond : Code::kOk)
          << (is_reference ? "reference, " : "optimized, ") << n << ": " << status.ToString();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, LimitTest, testing::ValuesIn(Limits()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tagflow::conformance
