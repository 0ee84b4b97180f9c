#include "optimized/native/element_program.h"

#include <utility>

#include "optimized/native/tensor_calls.h"

namespace tagflow::optimized {

std::optional<std::vector<TensorType>> TypesOfValues(const ElementProgram& program) {
  std::vector<TensorType> types;
  for (const ElementInput& input : program.inputs) types.push_back(input.type);
  for (const ElementStep& step : program.steps) {
    std::vector<const TensorType*> inputs;
    for (const int input : step.inputs) inputs.push_back(&types[static_cast<size_t>(input)]);
    const bool is_split = step.pieces > 0;
    if (!is_split && !TakesDTypes(step.call, inputs)) return std::nullopt;
    std::optional<Dims> dims = is_split ? DimsOfPiece(inputs[0]->dims, step.axis, step.pieces)
                                        : DimsOfCall(step.call, inputs);
    if (!dims) return std::nullopt;
    const DType dtype = is_split ? inputs[0]->dtype : step.call.output;
    for (int i = 0; i < step.num_outputs(); ++i) types.push_back({dtype, *dims});
  }
  return types;
}

}  // namespace tagflow::optimized
