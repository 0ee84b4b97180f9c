// Calls of ops on ragged tensors.

#include <string>
#include <vector>

#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

AttrValue Kinds(std::vector<std::string> kinds) {
  AttrList list;
  list.strings = std::move(kinds);
  return list;
}

}  // namespace

AdjointCalls RaggedCalls() {
  Numbers numbers;
  AdjointCalls calls;
  const Tensor values = numbers({5, 2}, -1, 1);
  const Tensor inner = Ints({0, 2, 2, 5}), outer = Ints({0, 2, 3});
  const AttrMap one = {{"PARAMS_RAGGED_RANK", 1}, {"OUTPUT_RAGGED_RANK", 1}};
  const AttrMap two = {{"PARAMS_RAGGED_RANK", 2}, {"OUTPUT_RAGGED_RANK", 1}};
  calls.push_back({"RaggedGather", {inner, values, Ints({2, 0, 2})}, one});
  calls.push_back({"RaggedGather", {outer, inner, values, Int(1)}, two});
  calls.push_back({"RaggedTensorToSparse", {outer, inner, values}, {{"RAGGED_RANK", 2}}});
  const auto dense = [](std::vector<std::string> kinds) {
    const auto count = static_cast<int64_t>(kinds.size());
    return AttrMap{{"num_row_partition_tensors", count}, {"row_partition_types", Kinds(kinds)}};
  };
  const Tensor whole = Int(-1);
  for (const Dims& default_dims : {Dims{}, Dims{2}, Dims{1}}) {
    const Tensor otherwise = numbers(default_dims, -1, 1);
    calls.push_back(
        {"RaggedTensorToTensor", {whole, values, otherwise, inner}, dense({"ROW_SPLITS"})});
    calls.push_back({"RaggedTensorToTensor",
                     {Ints({2, 4, 2}), values, otherwise, inner},
                     dense({"ROW_SPLITS"})});
  }
  calls.push_back({"RaggedTensorToTensor",
                   {Ints({3, 1, -1, -1}), values, numbers({}, -1, 1), outer, inner},
                   dense({"ROW_SPLITS", "ROW_SPLITS"})});
  calls.push_back({"RaggedTensorToTensor",
                   {whole, values, numbers({}, -1, 1), Int(4), Ints({0, 0, 2, 3, 3})},
                   dense({"FIRST_DIM_SIZE", "VALUE_ROWIDS"})});
  // Row 0 begins anew, over what it had.
  calls.push_back({"RaggedTensorToTensor",
                   {whole, values, numbers({}, -1, 1), Int(2), Ints({0, 0, 1, 0, 0})},
                   dense({"FIRST_DIM_SIZE", "VALUE_ROWIDS"})});
  calls.push_back({"RaggedTensorToTensor",
                   {whole, values, numbers({}, -1, 1), outer, Ints({0, 1, 0, 0, 1})},
                   dense({"ROW_SPLITS", "VALUE_ROWIDS"})});
  return calls;
}

}  // namespace tagflow::reference
