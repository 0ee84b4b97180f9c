// Tests: evaluator_plain.cc direct.cc (control flow)

#include <gtest/gtest.h>

#include "fuzz/direct/direct.h"
#include "fuzz/direct/test_programs.h"

namespace tagflow::fuzz {
namespace {

using Ids = ProgramWriter::Ids;

std::vector<Tensor> ResultsOf(const Program& program, const DirectOptions& options = {}) {
  const Result<std::vector<RunResult>> runs = Evaluate(program, options);
  EXPECT_TRUE(runs.ok()) << runs.status().ToString();
  return runs.ok() ? runs->back().values : std::vector<Tensor>();
}

TEST(Control, CollatzCountsItsSteps) {
  ProgramWriter w;
  const ValueId n = w.Input(int64_t{27});
  const ValueId zero = w.Const(int32_t{0});
  const ValueId bound = w.Const(int32_t{1000});
  const Loop loop{.most = 1000};
  const auto is_even = [&](ValueId x) {
    const ValueId half = w.Do(Op::kFloorMod, {x, w.Const(int64_t{2})});
    return w.DoAs(TensorType(DType::kBool), Op::kEqual, {half, w.Const(int64_t{0})});
  };
  const Ids out = w.While(
      loop, bound, {n, zero},
      [&](const Ids& v) -> Ids {
        const Ids next =
            w.Branch(Op::kCond, is_even(v[1]),
                     {[&]() -> Ids {
                        return {w.Do(Op::kFloorDiv, {v[1], w.Const(int64_t{2})})};
                      },
                      [&]() -> Ids {
                        const ValueId triple = w.Do(Op::kMul, {v[1], w.Const(int64_t{3})});
                        return {w.Do(Op::kAdd, {triple, w.Const(int64_t{1})})};
                      }});
        return {next[0], w.Do(Op::kAdd, {v[2], w.Const(int32_t{1})})};
      },
      [&](const Ids& v) {
        return w.DoAs(TensorType(DType::kBool), Op::kNotEqual, {v[1], w.Const(int64_t{1})});
      });
  Activity activity;
  const std::vector<Tensor> values =
      ResultsOf(w.Finish({out[0], out[1], out[2]}), {.activity = &activity});
  EXPECT_EQ(values[0].scalar<int32_t>(), 111);
  EXPECT_EQ(values[1].scalar<int64_t>(), 1);
  EXPECT_EQ(values[2].scalar<int32_t>(), 111);
  EXPECT_EQ(activity.trips, std::vector<int64_t>{111});
  EXPECT_EQ(activity.branches, std::vector<uint8_t>{3});
  EXPECT_EQ(activity.deepest, 2);
}

}  // namespace
}  // namespace tagflow::fuzz
