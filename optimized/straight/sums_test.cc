#include "optimized/straight/sums.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "optimized/straight/test_step.h"

namespace tagflow::optimized {
namespace {

// ---- Which calls are fused ----

constexpr char kPair[] = R"(
  a = Placeholder() dtype=float
  b = Placeholder() dtype=float
  c = Placeholder() dtype=float
  m = MatMul(a, b)
  s = AddV2(c, m)
  n = Neg(m)
  d = Mul(c, m)
)";

// Slots: 0 a, 1 b, 2 c, 3 m, 4 s.
size_t NumSums(const std::vector<std::string>& calls, std::vector<Arg> args, uint32_t target = 0) {
  TestGraph g(kPair, OpRegistry::Standard());
  Code code;
  code.args = std::move(args);
  code.outputs = {3, 4};
  for (uint32_t i = 0; i < calls.size(); ++i) {
    code.instructions.push_back({.op = OpCode::kCall,
                                 .num_outputs = 1,
                                 .n = 2,
                                 .a = 2 * i,
                                 .b = i,
                                 .node = g.id(calls[i])});
  }
  code.instructions.push_back({.op = OpCode::kJump, .target = target});
  std::map<NodeId, BoundKernel> kernels;
  for (const std::string& name : calls) {
    const Node& node = g.graph().node(g.id(name));
    kernels[node.id] =
        *KernelRegistry::Standard().Find(node.op)->bind({node, *ResolveSignature(node)});
  }
  Fusions fusions(code, [&](NodeId node) { return PartOf(kernels.at(node)); }, {});
  FuseSums(fusions);
  std::move(fusions).Insert();
  EXPECT_EQ(code.instructions[0].op == OpCode::kTryFused, !code.fused.empty());
  return code.fused.size();
}

TEST(FuseSumsTest, AProductAndItsOnlySum) {
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {2, 1}, {3, 1}}), 1u);
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {3, 1}, {2, 0}}), 1u);
  // The product is read again, twice here, or not at all; the term is a factor.
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {2, 1}, {3, 0}}), 0u);
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {3, 0}, {3, 1}}), 0u);
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {2, 1}, {2, 0}}), 0u);
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {1, 1}, {3, 1}}), 0u);
  // It is no sum; something jumps to it.
  EXPECT_EQ(NumSums({"m", "d"}, {{0, 0}, {1, 0}, {2, 1}, {3, 1}}), 0u);
  EXPECT_EQ(NumSums({"m", "s"}, {{0, 0}, {1, 0}, {2, 1}, {3, 1}}, 1), 0u);
}

// ---- What they give ----

std::string Graph(const std::string& dtype, const std::string& attrs, const std::string& sum) {
  std::string text;
  for (const char* name : {"a", "b", "c"}) {
    text += std::string(name) + " = Placeholder() dtype=" + dtype + "\n";
  }
  text += "one = Const() dtype=" + dtype + " value=1\n";
  text += "t = Add(c, one) T=" + dtype + "\n";  // a term that may be overwritten
  text += "m = MatMul(a, b) T=" + dtype + " " + attrs + "\n";
  text += "s = " + sum + " T=" + dtype + "\n";
  return text;
}

struct Shapes {
  Dims a, b, c;
  std::string attrs;
};

TEST(FuseSumsTest, EveryBitIsThatOfTheTwoKernels) {
  const Shapes kShapes[] = {
      {{3, 1}, {1, 4}, {3, 4}, ""},
      {{300, 1}, {1, 70}, {300, 70}, ""},
      {{1, 300}, {1, 70}, {300, 70}, "transpose_a=true"},
      {{300, 1}, {70, 1}, {300, 70}, "transpose_b=true"},
      {{1, 300}, {70, 1}, {300, 70}, "transpose_a=true transpose_b=true"},
      {{1, 1}, {1, 1}, {1, 1}, ""},
      {{0, 1}, {1, 4}, {0, 4}, ""},
      {{3, 0}, {0, 4}, {3, 4}, ""},
      // Not one pass: deeper, or with a term that repeats.
      {{30, 2}, {2, 40}, {30, 40}, ""},
      {{64, 64}, {64, 64}, {64, 64}, ""},
      {{300, 1}, {1, 70}, {70}, ""},
      {{300, 1}, {1, 70}, {300, 1}, ""},
      {{300, 1}, {1, 70}, {}, ""},
      {{3, 1}, {1, 4}, {2, 3, 4}, ""},
  };
  for (const std::string dtype : {"float", "double"}) {
    const DType type = dtype == "float" ? DType::kFloat : DType::kDouble;
    for (const Shapes& shapes : kShapes) {
      const std::vector<Tensor> feeds = {TestNumbers(type, shapes.a, 1),
                                         TestNumbers(type, shapes.b, 2),
                                         TestNumbers(type, shapes.c, 3)};
      for (const char* sum : {"AddV2(t, m)", "AddV2(m, t)", "Add(m, c)", "AddV2(c, m)"}) {
        const std::string text = Graph(dtype, shapes.attrs, sum);
        const std::string expected = BytesOneByOne(text, feeds, {"s"});
        EXPECT_TRUE(expected.starts_with("[")) << expected;
        EXPECT_EQ(StepBytes(text, feeds, {"s"}), expected) << text;
        EXPECT_EQ(StepBytes(text, feeds, {"s", "c", "m"}),
                  BytesOneByOne(text, feeds, {"s", "c", "m"}))
            << text;
      }
    }
  }
}

TEST(FuseSumsTest, AnErrorNamesItsNode) {
  const std::string text = Graph("float", "", "AddV2(t, m)");
  const auto expect = [&](const std::string& node, const Dims& a, const Dims& b, const Dims& c) {
    const std::vector<Tensor> feeds = {TestNumbers(DType::kFloat, a, 1),
                                       TestNumbers(DType::kFloat, b, 2),
                                       TestNumbers(DType::kFloat, c, 3)};
    const std::string error = StepBytes(text, feeds, {"s"});
    EXPECT_NE(error.find("[node " + node + "]"), std::string::npos) << error;
    EXPECT_EQ(error, BytesOneByOne(text, feeds, {"s"}));
  };
  expect("m", {3, 1}, {2, 4}, {3, 4});
  expect("m", {3}, {1, 4}, {3, 4});
  expect("s", {3, 1}, {1, 4}, {3, 5});
}

// In a loop, where the sum is over the term of the iteration before; and under a limit, which
// counts a product and its sum as two.
constexpr char kLoop[] = R"(
  a = Placeholder() dtype=float
  b = Placeholder() dtype=float
  c = Placeholder() dtype=float
  zero = Const() dtype=int32 value=0
  five = Const() dtype=int32 value=5
  one = Const() dtype=int32 value=1
  ei = Enter(zero) frame_name=f T=int32
  ec = Enter(c) frame_name=f
  ka = Enter(a) frame_name=f is_constant=true
  kb = Enter(b) frame_name=f is_constant=true
  k5 = Enter(five) frame_name=f is_constant=true T=int32
  k1 = Enter(one) frame_name=f is_constant=true T=int32
  i = Merge(ei, ni) T=int32
  t = Merge(ec, nt)
  less = Less(i, k5) T=int32
  go = LoopCond(less)
  si = Switch(i, go) T=int32
  st = Switch(t, go)
  i1 = Add(si:1, k1) T=int32
  m = MatMul(ka, kb)
  sum = AddV2(st:1, m)
  ni = NextIteration(i1) T=int32
  nt = NextIteration(sum)
  s = Exit(st:0)
)";

TEST(FuseSumsTest, ALoopAddsUp) {
  const std::vector<Tensor> feeds = {TestNumbers(DType::kFloat, Dims{30, 1}, 1),
                                     TestNumbers(DType::kFloat, Dims{1, 40}, 2),
                                     TestNumbers(DType::kFloat, Dims{30, 40}, 3)};
  const std::string expected = BytesOneByOne(kLoop, feeds, {"s", "c"});
  EXPECT_TRUE(expected.starts_with("[30,40]")) << expected;
  EXPECT_EQ(StepBytes(kLoop, feeds, {"s", "c"}), expected);
  for (int64_t limit = 1; limit < 30; ++limit) {
    EXPECT_EQ(StepBytes(kLoop, feeds, {"s"}, KernelRegistry::Standard(), limit),
              BytesOneByOne(kLoop, feeds, {"s"}, limit))
        << limit;
  }
}

}  // namespace
}  // namespace tagflow::optimized
