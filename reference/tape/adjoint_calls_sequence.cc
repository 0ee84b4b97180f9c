#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint_calls.h"

namespace tagflow::reference {

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
  return calls;
}

}  // namespace tagflow::reference
