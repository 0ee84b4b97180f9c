#include "optimized/native/tensor_calls.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "optimized/kernels/broadcast.h"

namespace tagflow::optimized {
namespace {

// How many of the first dimensions are those of `wanted`, or 1s where that is empty.
size_t LeadingEqual(const Dims& dims, const Dims& wanted) {
  return static_cast<size_t>(std::ranges::mismatch(dims, wanted).in1 - dims.begin());
}

struct Read {
  Walk walk = Walk::kNot;
  int64_t columns = 0;
};

// How an input that broadcasts to `output` is read; kNot where that takes more than two loops.
Read ReadOf(const Dims& input, const Dims& output) {
  if (input.empty()) return {Walk::kScalar};
  Dims aligned(output.size() - input.size(), 1);
  aligned.insert(aligned.end(), input.begin(), input.end());
  if (aligned == output) return {Walk::kElement};
  if (*NumElements(input) == 1) return {Walk::kOne};
  const Dims ones(aligned.size(), 1);
  const auto columns_from = [&](size_t begin) {
    return *NumElements(DimsView(output).subspan(begin));
  };
  const auto is_from = [&](size_t begin, const Dims& wanted) {
    return std::equal(aligned.begin() + static_cast<std::ptrdiff_t>(begin), aligned.end(),
                      wanted.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  if (const size_t begin = LeadingEqual(aligned, ones); is_from(begin, output)) {
    return {Walk::kRow, columns_from(begin)};
  }
  if (const size_t begin = LeadingEqual(aligned, output); is_from(begin, ones)) {
    return {Walk::kColumn, columns_from(begin)};
  }
  return {};
}

bool HaveOneShape(std::span<const TensorType* const> types) {
  return std::ranges::all_of(
      types, [&](const TensorType* type) { return type->dims == types.front()->dims; });
}

}  // namespace

std::optional<Dims> DimsOfCall(const ScalarCall& call,
                               const std::vector<const TensorType*>& inputs) {
  const auto last = [&](size_t from) { return std::span(inputs).subspan(from); };
  switch (call.shapes) {
    case ScalarCall::Shapes::kSame:
      if (!HaveOneShape(inputs)) return std::nullopt;
      return inputs.front()->dims;
    case ScalarCall::Shapes::kChosenWhole: {
      const Dims& condition = inputs.front()->dims;
      const bool fits = condition.empty() || condition == inputs[1]->dims;
      if (!fits || !HaveOneShape(last(1))) return std::nullopt;
      return inputs[1]->dims;
    }
    case ScalarCall::Shapes::kBias: {
      const Dims& value = inputs[0]->dims;
      const Dims& bias = inputs[1]->dims;
      if (value.size() < 2 || bias.size() != 1 || bias[0] != value.back()) return std::nullopt;
      return value;
    }
    case ScalarCall::Shapes::kBroadcast: {
      Dims dims = inputs.front()->dims;
      for (const TensorType* const input : last(1)) {
        Result<Dims> both = BroadcastShape(dims, input->dims);
        if (!both.ok()) return std::nullopt;
        dims = *std::move(both);
      }
      return dims;
    }
  }
  return std::nullopt;
}

std::optional<TensorCall> TensorCallOf(const ScalarCall& call,
                                       const std::vector<const TensorType*>& inputs,
                                       const TensorType& output) {
  // What it refuses shows only when half of the output is written.
  if (call.kind == ScalarCall::Kind::kHandOn || !call.refuses.empty()) return std::nullopt;
  if (DimsOfCall(call, inputs) != output.dims) return std::nullopt;
  TensorCall made{.dims = output.dims};
  for (const TensorType* const input : inputs) {
    const Read read = ReadOf(input->dims, output.dims);
    const bool fits = read.columns == 0 || made.columns == 0 || read.columns == made.columns;
    if (read.walk == Walk::kNot || !fits) return std::nullopt;
    if (read.columns > 0) made.columns = read.columns;
    made.inputs.push_back(call.kind == ScalarCall::Kind::kFill ? Walk::kNot : read.walk);
  }
  return made;
}

std::optional<Dims> DimsOfPiece(const Dims& value, int64_t axis, int pieces) {
  const auto rank = static_cast<int64_t>(value.size());
  if (axis < -rank || axis >= rank || pieces <= 0) return std::nullopt;
  Dims dims = value;
  int64_t& size = dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  if (size % pieces != 0) return std::nullopt;
  size /= pieces;
  return dims;
}

std::optional<TensorCall> TensorCallOfSplit(const TensorType& value, int64_t axis, int pieces,
                                            const TensorType& output) {
  if (DimsOfPiece(value.dims, axis, pieces) != output.dims) return std::nullopt;
  const auto from =
      static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(value.dims.size()) : axis);
  return TensorCall{.dims = output.dims,
                    .columns = *NumElements(DimsView(output.dims).subspan(from)),
                    .pieces = pieces,
                    .inputs = {Walk::kNot, Walk::kPiece}};
}

}  // namespace tagflow::optimized
