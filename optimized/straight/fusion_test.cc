// Tests: fusion.cc code.cc

#include "optimized/straight/fusion.h"

#include <gtest/gtest.h>

#include <string>

#include "optimized/straight/code_writer.h"
#include "optimized/straight/test_step.h"

namespace tagflow::optimized {
namespace {

TEST(InsertInstructionsTest, JumpsComeToWhatWasInserted) {
  Code code = CodeWriter().Call(1, {0}).Unless(1, 3).Call(2, {0}).Repeat(0).code;
  InsertInstructions({{0, {.op = OpCode::kDrop, .a = 7}}, {3, {.op = OpCode::kJump, .target = 4}}},
                     code);
  ASSERT_EQ(code.instructions.size(), 6u);
  EXPECT_EQ(code.instructions[0].op, OpCode::kDrop);
  EXPECT_EQ(code.instructions[2].target, 4u);  // the jump
  EXPECT_EQ(code.instructions[4].target, 6u);  // the end
  EXPECT_EQ(code.instructions[5].target, 0u);  // the drop
}

TEST(FusionsTest, TheCallsStayBehindTheTry) {
  Code code = CodeWriter().Call(1, {0}).Call(2, {1}).Call(3, {2}).Fetch(3).code;
  for (Instruction& call : code.instructions) call.node = NodeId{0};
  code.num_slots = 4;
  const KernelPart part = AdditionPart{DType::kFloat, false};
  Fusions fusions(
      code, [&](NodeId) { return &part; }, std::vector<bool>(4));
  EXPECT_NE(fusions.PartAt(1), nullptr);
  EXPECT_EQ(fusions.PartAt(3), nullptr);  // no call
  fusions.Add(1, 3, FusedCalls());
  EXPECT_NE(fusions.PartAt(0), nullptr);
  EXPECT_EQ(fusions.PartAt(1), nullptr);  // taken
  EXPECT_EQ(fusions.PartAt(2), nullptr);
  std::move(fusions).Insert();
  ASSERT_EQ(code.instructions.size(), 5u);
  EXPECT_EQ(code.instructions[1].op, OpCode::kTryFused);
  EXPECT_EQ(code.instructions[1].target, 4u);
  EXPECT_EQ(code.instructions[2].op, OpCode::kCall);
  // Who reads the code later sees all that is read.
  int reads = 0;
  for (const Instruction& each : code.instructions) {
    VisitSlots(
        each, code.args, code.outputs, [&](Arg&) { ++reads; }, [](uint32_t) {});
  }
  EXPECT_EQ(reads, 4);
}

// The standard kernels of a registry of the caller's are fused with each other, its own are not.
TEST(FuseCallsTest, KernelsOfTheCallersAreCalled) {
  int calls = 0;
  KernelRegistry own;
  const KernelRegistry& standard = KernelRegistry::Standard();
  for (const std::string& op : standard.Ops()) {
    if (op == "Tanh") continue;
    EXPECT_TRUE(own.Register(op, standard.Find(op)->bind).ok());
  }
  const Binder tanh = [&](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(BoundKernel kernel, standard.Find("Tanh")->bind(binding));
    return BoundKernel([kernel, &calls](KernelContext& context) {
      ++calls;
      return kernel(context);
    });
  };
  EXPECT_TRUE(own.Register("Tanh", tanh).ok());
  const std::string text = R"(
    a = Placeholder() dtype=float
    b = Placeholder() dtype=float
    c = Placeholder() dtype=float
    m = Mul(a, b)
    n = Neg(m)
    t = Tanh(n)
  )";
  const std::vector<Tensor> feeds(3, TestNumbers(DType::kFloat, Dims{50}, 1));
  EXPECT_EQ(StepBytes(text, feeds, {"t"}, own), BytesOneByOne(text, feeds, {"t"}));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tagflow::optimized
