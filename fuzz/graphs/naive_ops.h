#ifndef TAGFLOW_FUZZ_GRAPHS_NAIVE_OPS_H_
#define TAGFLOW_FUZZ_GRAPHS_NAIVE_OPS_H_

// What the ordinary ops of small graphs compute: the function `eval` of docs/small_step.md.

#include <string_view>
#include <vector>

#include "fuzz/graphs/naive.h"

namespace tagflow::fuzz {

// Reads and writes `variables`; `inputs` are live.
using NaiveOp = Status (*)(const Node& node, const std::vector<NaiveValue>& inputs,
                           NaiveVariables& variables, std::vector<NaiveValue>& outputs);

// Null for an op that is not there.
NaiveOp FindNaiveOp(std::string_view op);

// A scalar as the naive executor has it; of another shape or dtype, a value of dtype kInvalid.
NaiveValue NaiveOf(const Tensor& tensor);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_NAIVE_OPS_H_
