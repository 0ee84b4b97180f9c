#ifndef TAGFLOW_FUZZ_DIRECT_TEST_RESULTS_H_
#define TAGFLOW_FUZZ_DIRECT_TEST_RESULTS_H_

// Programs evaluated, for tests.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fuzz/direct/direct.h"
#include "fuzz/direct/test_programs.h"

namespace tagflow::fuzz {

// The results of the last run.
inline std::vector<Tensor> ResultsOf(const Program& program, const DirectOptions& options = {}) {
  const Result<std::vector<RunResult>> runs = Evaluate(program, options);
  EXPECT_TRUE(runs.ok()) << runs.status().ToString();
  return runs.ok() ? runs->back().values : std::vector<Tensor>(program.body.results.size());
}

// The one result of one operation.
inline Tensor ResultOf(Op op, const std::vector<Tensor>& operands, const Type& type,
                       std::vector<int64_t> numbers = {}) {
  ProgramWriter w;
  ProgramWriter::Ids ids;
  for (const Tensor& operand : operands) ids.push_back(w.Const(operand));
  const ValueId result = w.DoAs(type, op, ids, std::move(numbers));
  return ResultsOf(w.Finish({result}))[0];
}
inline Tensor ResultOf(Op op, const std::vector<Tensor>& operands,
                       std::vector<int64_t> numbers = {}) {
  return ResultOf(op, operands, TypeOf(operands[0]), std::move(numbers));
}

// "double[2] [1, 2]"
inline std::string Text(const Tensor& tensor) { return tensor.DebugString(); }

template <typename T>
Tensor Matrix(int64_t rows, int64_t columns, const std::vector<T>& values) {
  return Tensor::Vector(values).Reshaped(Dims{rows, columns});
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_TEST_RESULTS_H_
