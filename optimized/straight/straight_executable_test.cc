// Tests: straight_executable.cc emitter.cc uses.cc values.cc machine.cc
#include "optimized/straight/straight_executable.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "graph/test_graph.h"
#include "optimized/resources.h"

namespace tagflow::optimized {
namespace {

// A few kernels of floats, so that the executor is tested apart from the engine's own.
using Function = float (*)(float, float);
Binder Of(Function function) {
  return [function](const Binding&) -> Result<BoundKernel> {
    return BoundKernel([function](KernelContext& context) {
      const float a = context.input(0).inline_value<float>();
      const float b = context.input(context.num_inputs() - 1).inline_value<float>();
      context.output(0).SetScalar(function(a, b));
      return Status();
    });
  };
}

KernelRegistry Kernels() {
  KernelRegistry kernels;
  const auto add = [&](const char* op, Binder bind) {
    EXPECT_TRUE(kernels.Register(op, std::move(bind)).ok());
  };
  add("Add", Of([](float a, float b) { return a + b; }));
  add("Mul", Of([](float a, float b) { return a * b; }));
  add("Neg", Of([](float a, float) { return -a; }));
  add("Less", [](const Binding&) -> Result<BoundKernel> {
    return BoundKernel([](KernelContext& context) {
      const float a = context.input(0).inline_value<float>();
      context.output(0).SetScalar(a < context.input(1).inline_value<float>());
      return Status();
    });
  });
  add("VariableV2", [](const Binding& binding) -> Result<BoundKernel> {
    const std::string name = binding.node.name;
    return BoundKernel([name](KernelContext& context) -> Status {
      TAGFLOW_ASSIGN_OR_RETURN(auto variable, context.session().FindOrCreateVariable(
                                                  {"", name}, DType::kFloat, PartialShape()));
      context.set_output_variable(0, std::move(variable));
      return Status();
    });
  });
  add("Assign", [](const Binding&) -> Result<BoundKernel> {
    return BoundKernel([](KernelContext& context) -> Status {
      TAGFLOW_ASSIGN_OR_RETURN(auto variable, context.variable(0));
      variable->WithAnywhere(
          [&](Variable::Contents& contents) { contents.value = context.input(1); });
      context.set_output_variable(0, std::move(variable));
      return Status();
    });
  });
  return kernels;
}

class StraightTest : public testing::Test {
 protected:
  // The fetched values of a step with these scalars fed, or the error's code.
  std::string Run(std::string_view text, const std::vector<std::pair<std::string, float>>& feeds,
                  const std::vector<std::string>& fetches,
                  const std::vector<std::string>& targets = {}) {
    TestGraph g(text, OpRegistry::Standard());
    std::vector<std::string> names;
    std::vector<Tensor> values;
    for (const auto& [name, value] : feeds) {
      names.push_back(name);
      const bool is_bool = name == "p" || name == "q";
      values.push_back(is_bool ? Tensor::Scalar(value != 0) : Tensor::Scalar(value));
    }
    const CallSpec call = g.Call(names, fetches, targets);
    const Result<ValidatedCall> valid = ValidateCall(g.graph(), call);
    if (!valid.ok()) return valid.status().ToString();
    const Result<StraightResult> made =
        MakeStraightExecutable({g.graph(), call, *valid, kernels_, 1});
    if (!made.ok()) return made.status().ToString();
    if (!made->irregular.empty()) return made->irregular;
    StepState step;
    StepControl control;
    control.services = {&state_, &step, nullptr, nullptr};
    std::string all;
    // Twice: the second step finds what the first left.
    for (int i = 0; i < 2; ++i) {
      const auto results = made->executable->Run(values, control);
      if (!results.ok()) return std::string(CodeName(results.status().code()));
      std::string once;
      for (const Tensor& value : *results) once += (once.empty() ? "" : " ") + Number(value);
      if (i == 1 && once != all) return once + ", and " + all + " before";
      all = once;
    }
    return all;
  }

 private:
  static std::string Number(const Tensor& value) {
    const std::string text = value.DebugString();
    return text.substr(text.find(' ') + 1);
  }
  const KernelRegistry kernels_ = Kernels();
  SessionState state_;
};

constexpr char kBranches[] = R"(
  p = Placeholder() dtype=bool
  q = Placeholder() dtype=bool
  x = Placeholder() dtype=float
  s = Switch(x, p)
  qs = Switch(q, p) T=bool
  inner = Switch(s:1, qs:1)
  a = Add(inner:1, inner:1)
  b = Neg(inner:0)
  ab = Merge(a, b)
  c = Mul(s:0, s:0)
  m = Merge(c, ab)
  y = Add(m, x)
)";

TEST_F(StraightTest, BranchesInBranches) {
  EXPECT_EQ(Run(kBranches, {{"p", 1}, {"q", 1}, {"x", 3}}, {"m", "m:1", "y"}), "6 1 9");
  EXPECT_EQ(Run(kBranches, {{"p", 1}, {"q", 0}, {"x", 3}}, {"m", "m:1", "y"}), "-3 1 0");
  EXPECT_EQ(Run(kBranches, {{"p", 0}, {"q", 1}, {"x", 3}}, {"m", "m:1", "y"}), "9 0 12");
}

TEST_F(StraightTest, AMergeOfOneLiveWayIsThatWay) {
  const std::string text = R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    s = Switch(x, p)
    never = Add(s:0, s:1)
    m = Merge(never, s:1)
    y = Merge(m, s:0)
  )";
  EXPECT_EQ(Run(text, {{"p", 1}, {"x", 3}}, {"m", "m:1", "y", "y:1"}), "3 1 3 0");
  EXPECT_EQ(Run(text, {{"p", 0}, {"x", 3}}, {"y", "y:1"}), "3 1");
  EXPECT_EQ(Run(text, {{"p", 0}, {"x", 3}}, {"m"}), "INVALID_ARGUMENT");
  EXPECT_EQ(Run(text, {{"p", 0}, {"x", 3}}, {"never"}), "INVALID_ARGUMENT");
}

// i counts to n; in it, j counts to i and adds to a; `at` says how the Merges were reached.
constexpr char kNested[] = R"(
  zero = Placeholder() dtype=float
  n = Placeholder() dtype=float
  one = Placeholder() dtype=float
  ei = Enter(zero) frame_name=outer
  ea = Enter(zero) frame_name=outer
  kn = Enter(n) frame_name=outer is_constant=true
  k1 = Enter(one) frame_name=outer is_constant=true
  kz = Enter(zero) frame_name=outer is_constant=true
  i = Merge(ei, ni)
  a = Merge(ea, na)
  less = Less(i, kn)
  c = LoopCond(less)
  si = Switch(i, c)
  sa = Switch(a, c)
  ni = NextIteration(i1)
  i1 = Add(si:1, k1)
  ej = Enter(kz) frame_name=inner
  eb = Enter(sa:1) frame_name=inner
  ki = Enter(si:1) frame_name=inner is_constant=true
  k11 = Enter(k1) frame_name=inner is_constant=true
  j = Merge(ej, nj)
  b = Merge(eb, nb)
  less2 = Less(j, ki)
  c2 = LoopCond(less2)
  sj = Switch(j, c2)
  sb = Switch(b, c2)
  nj = NextIteration(j1)
  j1 = Add(sj:1, k11)
  nb = NextIteration(b1)
  b1 = Add(sb:1, k11)
  ob = Exit(sb:0)
  na = NextIteration(ob)
  oa = Exit(sa:0)
  oi = Exit(si:0)
)";

TEST_F(StraightTest, LoopsInLoops) {
  std::string text = kNested;
  // Every variable of the inner loop begins in the body, where the outer one goes on.
  text.replace(text.find("Enter(kz)"), 9, "Enter(z1)");
  text += "z1 = Mul(kz, si:1)\n";
  EXPECT_EQ(Run(text, {{"zero", 0}, {"n", 5}, {"one", 1}}, {"oa", "oi"}), "10 5");
  EXPECT_EQ(Run(text, {{"zero", 0}, {"n", 0}, {"one", 1}}, {"oa", "oi"}), "0 0");
}

TEST_F(StraightTest, AVariableKnowsWhereItCameFrom) {
  const std::string text = R"(
    x = Placeholder() dtype=float
    n = Placeholder() dtype=float
    e = Enter(x) frame_name=loop
    k = Enter(n) frame_name=loop is_constant=true
    m = Merge(next, e)
    less = Less(m, k)
    c = LoopCond(less)
    s = Switch(m, c)
    at = Switch(m:1, c) T=int32
    one = Const(^s) dtype=float value=1
    body = Add(s:1, one)
    next = NextIteration(body)
    out = Exit(s:0)
    came = Exit(at:0) T=int32
  )";
  EXPECT_EQ(Run(text, {{"x", 0}, {"n", 3}}, {"out", "came"}), "3 0");
  EXPECT_EQ(Run(text, {{"x", 9}, {"n", 3}}, {"out", "came"}), "9 1");
}

TEST_F(StraightTest, AVariableIsReadWhenItsReaderFires) {
  const std::string text = R"(
    v = VariableV2() dtype=float
    x = Placeholder() dtype=float
    set = Assign(v, x)
    read = Add(v, x, ^set)
  )";
  EXPECT_EQ(Run("v = VariableV2() dtype=float\n y = Neg(v)\n", {}, {"y"}), "FAILED_PRECONDITION");
  // A fetch reads when the token arrives, and that of v comes before anything is set.
  EXPECT_EQ(Run(text, {{"x", 4}}, {"read", "v"}, {"set"}), "FAILED_PRECONDITION");
  EXPECT_EQ(Run(text, {{"x", 4}}, {"read", "set"}), "8 4");
}

TEST_F(StraightTest, AnOpWithoutKernelIsUnimplemented) {
  EXPECT_TRUE(Run("x = Placeholder() dtype=float\n y = Exp(x)\n", {{"x", 1}}, {"y"})
                  .starts_with("UNIMPLEMENTED"));
  // Behind a Switch only where it is live.
  const char* branch = R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    s = Switch(x, p)
    yes = Exp(s:1)
    no = Neg(s:0)
    y = Merge(no, yes)
  )";
  EXPECT_EQ(Run(branch, {{"p", 0}, {"x", 3}}, {"y"}), "-3");
  EXPECT_TRUE(Run(branch, {{"p", 1}, {"x", 3}}, {"y"}).starts_with("UNIMPLEMENTED"));
}

TEST_F(StraightTest, ANodeThatRunsDoesNotTouchItsFeed) {
  EXPECT_EQ(Run("x = Placeholder() dtype=float\n y = Neg(x)\n", {{"x", 2}, {"y", 7}}, {"y"}, {"y"}),
            "7");
}

TEST_F(StraightTest, AFetchedFeedIsTheFeed) {
  EXPECT_EQ(Run("x = Placeholder() dtype=float\n y = Neg(x)\n", {{"x", 2}}, {"x", "y", "x"}),
            "2 -2 2");
}

}  // namespace
}  // namespace tagflow::optimized
