#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {
namespace {

// Three inputs, two cells and rows; a sequence of three times, the last of which is left out.
void AddLstms(Numbers& numbers, AdjointCalls& calls) {
  for (const char* op : {"LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"}) {
    const bool is_sequence = op[0] == 'B';
    for (const bool has_peepholes : {false, true}) {
      std::vector<Tensor> inputs;
      if (is_sequence) inputs.push_back(Tensor::Scalar<int64_t>(2));
      const std::vector<Dims> shapes = {
          is_sequence ? Dims{3, 2, 3} : Dims{2, 3}, {2, 2}, {2, 2}, {5, 8}, {2}, {2}, {2}, {8}};
      for (const Dims& dims : shapes) inputs.push_back(numbers.Floats(dims, -1, 1));
      calls.push_back({op, inputs, {{"use_peephole", has_peepholes}}, {}, 1, {0, 2, 3, 4, 5}});
    }
  }
}

void AddGru(Numbers& numbers, AdjointCalls& calls) {
  std::vector<Tensor> inputs;
  const std::vector<Dims> shapes = {{2, 3}, {2, 2}, {5, 4}, {5, 2}, {4}, {2}};
  for (const Dims& dims : shapes) inputs.push_back(numbers.Floats(dims, -1, 1));
  calls.push_back({"GRUBlockCell", inputs, {}, {}, 1, {0, 1, 2}});
}

}  // namespace

AdjointCalls SequenceCalls() {
  Numbers numbers;
  const std::vector<int64_t> rows = {0, 0, 0, 1, 1, 0};
  const Tensor places = Tensor::Of<int64_t>(Dims{3, 2}, rows);
  AdjointCalls calls;
  for (const bool merges : {true, false}) {
    const AttrMap attrs = {{"ctc_merge_repeated", merges}};
    calls.push_back({"CTCLoss",
                     {numbers({4, 2, 3}, -1, 1), places, Ints({0, 1, 1}), Ints({4, 3})},
                     attrs,
                     {},
                     1,
                     {1}});
    calls.push_back({"CTCLoss",
                     {numbers({4, 2, 3}, -1, 1), places, Ints({0, 0, 1}), Ints({3, 1})},
                     attrs,
                     {},
                     1,
                     {1}});
  }
  AddLstms(numbers, calls);
  AddGru(numbers, calls);
  return calls;
}

}  // namespace tagflow::reference
