#include "fuzz/simplify/simplified.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/test_graph.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

TEST(SimplifiedTest, EvaluatesByTheReference) {
  const TestGraph g("a = Placeholder() dtype=float\n y = Sub(a, a)", OpRegistry::Standard());
  const std::vector<Tensor> inputs = {Tensor::Vector<float>({5, 6}), Tensor::Scalar<float>(2)};
  const Result<std::vector<Tensor>> outputs = EvaluateByReference()(g.node("y"), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_TRUE(BitwiseEqual((*outputs)[0], Tensor::Vector<float>({3, 4})));
}

TEST(SimplifiedTest, FoldsWhatTheRunOfOneOpGives) {
  const TestGraph g("two = Const() dtype=float value=2\n y = Neg(two) T=float",
                    OpRegistry::Standard());
  const Evaluate seven =
      EvaluateBy([](Graph, const reference::NamedTensors&,
                    const std::vector<std::string>&) -> Result<std::vector<Tensor>> {
        return std::vector{Tensor::Scalar(7.0f)};
      });
  const Result<Graph> folded = RunPasses(g.graph(), g.Call({}, {"y"}), {Pass::kConstants}, seven);
  ASSERT_TRUE(folded.ok()) << folded.status().ToString();
  auto session = *reference::Session::Create(folded->Clone());
  const Result<std::vector<Tensor>> seen = session->Run({}, {"y"});
  ASSERT_TRUE(seen.ok()) << seen.status().ToString();
  EXPECT_TRUE(BitwiseEqual((*seen)[0], Tensor::Scalar(7.0f)));
}

TEST(SimplifiedTest, EveryPassIsTriedAloneAndAllTogether) {
  Choices choices = Choices::FromSeed(1);
  const auto orders = PassOrders(choices);
  ASSERT_EQ(orders.size(), AllPasses().size() + 2);
  for (size_t i = 0; i < AllPasses().size(); ++i) EXPECT_EQ(orders[i], std::vector{AllPasses()[i]});
  for (const Pass pass : AllPasses()) EXPECT_EQ(std::ranges::count(orders.back(), pass), 2);
}

// What a pass may hide: the values of a graph, before and after.
void ExpectSame(const TestGraph& g, const std::vector<std::string>& fetches,
                const reference::NamedTensors& feeds) {
  std::vector<std::string> names;
  for (const auto& [name, value] : feeds) names.push_back(name);
  const CallSpec call = g.Call(names, fetches);
  auto before = *reference::Session::Create(g.graph().Clone());
  const Result<std::vector<Tensor>> wanted = before->Run(feeds, fetches);
  ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
  Choices choices = Choices::FromSeed(1);
  for (const std::vector<Pass>& passes : PassOrders(choices)) {
    Result<Graph> graph = RunPasses(g.graph(), call, passes, EvaluateByReference());
    ASSERT_TRUE(graph.ok()) << graph.status().ToString();
    auto after = *reference::Session::Create(*std::move(graph));
    const Result<std::vector<Tensor>> seen = after->Run(feeds, fetches);
    ASSERT_TRUE(seen.ok()) << NamesOf(passes) << ": " << seen.status().ToString();
    for (size_t i = 0; i < wanted->size(); ++i) {
      EXPECT_TRUE(BitwiseEqual((*wanted)[i], (*seen)[i])) << NamesOf(passes);
    }
  }
}

// i = x; while i < n: i = i + step(n): invariants of the body, whatever the number of trips.
TEST(SimplifiedTest, LoopsOfNoAndOfSomeTripsGiveTheSame) {
  const TestGraph g(R"(
    x = Placeholder() dtype=int32
    n = Placeholder() dtype=int32
    two = Const() dtype=int32 value=2
    e = Enter(x) frame_name=f T=int32
    d = Enter(x) frame_name=f T=int32
    ne = Enter(n) frame_name=f is_constant=true T=int32
    te = Enter(two) frame_name=f is_constant=true T=int32
    pe = Merge(d, dn) T=int32
    m = Merge(e, next) T=int32
    bound = Mul(ne, te) T=int32
    less = Less(m, bound) T=int32
    c = LoopCond(less)
    sd = Switch(pe, c) T=int32
    s = Switch(m, c) T=int32
    b = Identity(sd:1) T=int32
    dn = NextIteration(b) T=int32
    one = Const(^b) dtype=int32 value=1
    three = Add(one, te) T=int32
    risky = FloorDiv(ne, ne, ^b) T=int32
    step = Mul(risky, three) T=int32
    neg = Neg(ne, ^b) T=int32
    twice = Add(neg, neg) T=int32
    back = Sub(twice, twice) T=int32
    sum = AddN(s:1, step, back) T=int32
    next = NextIteration(sum) T=int32
    out = Exit(s:0) T=int32
  )",
                    OpRegistry::Standard());
  for (const int32_t n : {0, 1, 5}) {
    ExpectSame(g, {"out"}, {{"x", Tensor::Scalar<int32_t>(0)}, {"n", Tensor::Scalar<int32_t>(n)}});
  }
}

}  // namespace
}  // namespace tagflow::fuzz
