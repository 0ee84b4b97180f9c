#include "optimized/native/element_program.h"

#include <utility>

#include "optimized/native/tensor_calls.h"

namespace tagflow::optimized {

namespace {

using Types = std::vector<const TensorType*>;

std::optional<TensorType> TypeOfJoined(const Types& inputs, int64_t axis) {
  TensorType joined = *inputs.front();
  const std::optional<size_t> at = AxisOf(joined.dims, axis);
  if (!at) return std::nullopt;
  joined.dims[*at] = 0;
  for (const TensorType* const input : inputs) {
    Dims others = input->dims;
    if (others.size() != joined.dims.size() || input->dtype != joined.dtype) return std::nullopt;
    others[*at] = joined.dims[*at];
    if (others != joined.dims) return std::nullopt;
    joined.dims[*at] += input->dims[*at];
  }
  return joined;
}

// Of each value that the step gives.
std::optional<TensorType> TypeOf(const ElementStep& step, const Types& inputs) {
  if (step.joins) return TypeOfJoined(inputs, step.axis);
  const bool is_split = step.pieces > 0;
  if (!is_split && !TakesDTypes(step.call, inputs)) return std::nullopt;
  std::optional<Dims> dims = is_split ? DimsOfPiece(inputs[0]->dims, step.axis, step.pieces)
                                      : DimsOfCall(step.call, inputs);
  if (!dims) return std::nullopt;
  return TensorType{is_split ? inputs[0]->dtype : step.call.output, *std::move(dims)};
}

}  // namespace

std::optional<size_t> AxisOf(const Dims& dims, int64_t axis) {
  const auto rank = static_cast<int64_t>(dims.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

std::optional<std::vector<TensorType>> TypesOfValues(const ElementProgram& program) {
  std::vector<TensorType> types;
  for (const ElementInput& input : program.inputs) types.push_back(input.type);
  for (const ElementStep& step : program.steps) {
    Types inputs;
    for (const int input : step.inputs) inputs.push_back(&types[static_cast<size_t>(input)]);
    const std::optional<TensorType> type = TypeOf(step, inputs);
    if (!type) return std::nullopt;
    types.insert(types.end(), static_cast<size_t>(step.num_outputs()), *type);
  }
  return types;
}

}  // namespace tagflow::optimized
