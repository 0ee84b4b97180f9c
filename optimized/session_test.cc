#include "optimized/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "graph/test_graph.h"

namespace tagflow::optimized {
namespace {

constexpr char kCond[] = R"(
  p = Placeholder() dtype=bool
  x = Placeholder() dtype=float
  s = Switch(x, p)
  t = Add(s:1, s:1)
  f = Mul(s:0, s:0)
  m = Merge(f, t)
)";

// x = x + n while x < n, entered once
constexpr char kLoop[] = R"(
  x = Placeholder() dtype=float
  n = Placeholder() dtype=float
  e = Enter(x) frame_name=loop
  k = Enter(n) frame_name=loop is_constant=true
  m = Merge(e, next)
  less = Less(m, k)
  c = LoopCond(less)
  s = Switch(m, c)
  body = Add(s:1, one)
  one = Const(^s) dtype=float value=1
  next = NextIteration(body)
  out = Exit(s:0)
)";

Tensor F(float value) { return Tensor::Scalar(value); }

std::unique_ptr<Session> Open(std::string_view text, const SessionOptions& options = {}) {
  Result<std::unique_ptr<Session>> session =
      Session::Create(TestGraph(text, OpRegistry::Standard()).Take(), options);
  EXPECT_TRUE(session.ok());
  return *std::move(session);
}

// The values of a step, or its error.
std::string Text(const Result<std::vector<Tensor>>& values) {
  if (!values.ok()) return std::string(CodeName(values.status().code()));
  std::string text;
  for (const Tensor& value : *values) text += (text.empty() ? "" : "; ") + value.DebugString();
  return text;
}

TEST(SessionTest, TakesTheBranchOfItsPredicate) {
  const auto session = Open(kCond);
  const Tensor yes = Tensor::Scalar(true);
  const Tensor no = Tensor::Scalar(false);
  EXPECT_EQ(Text(session->Run({{"p", yes}, {"x", F(3)}}, {"m", "m:1"})), "float[] 6; int32[] 1");
  EXPECT_EQ(Text(session->Run({{"p", no}, {"x", F(3)}}, {"m", "m:1"})), "float[] 9; int32[] 0");
}

// By every executor, with passes, and cut over devices.                          Spec: [graph.1]
TEST(SessionTest, AnOpNobodyDefinesFailsWhereItIsLive) {
  constexpr char kStrange[] = R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=float
    s = Switch(x, p)
    strange = NobodyDefinesThis(s:1, s:1)
    t = Add(strange:1, s:1)
    f = Mul(s:0, s:0)
    m = Merge(f, t)
    behind = NorThis(m)
    always = NorThat(x)
    sum = Add(behind, always)
  )";
  std::vector<SessionOptions> all(5);
  all[1].executor = ExecutorChoice::kTokens;
  all[2].executor = ExecutorChoice::kSharedTokens;
  all[2].threads = 3;
  all[3].passes = Passes::All();
  all[3].simplify_if_worthwhile = false;
  all[4].devices = {"/device:CPU:0", "/device:CPU:1"};
  for (const SessionOptions& options : all) {
    const auto session = Open(kStrange, options);
    const Tensor yes = Tensor::Scalar(true), no = Tensor::Scalar(false);
    EXPECT_EQ(Text(session->Run({{"p", no}, {"x", F(3)}}, {"m", "m:1"})), "float[] 9; int32[] 0");
    const Status live = session->Run({{"p", yes}, {"x", F(3)}}, {"m"}).status();
    EXPECT_EQ(live.code(), Code::kUnimplemented);
    EXPECT_EQ(live.node(), "strange");
    EXPECT_NE(live.message().find("needs the op 'NobodyDefinesThis'"), std::string::npos);
    EXPECT_EQ(Text(session->Run({{"p", no}, {"x", F(3)}}, {"m"})), "float[] 9");
    const Status before = session->Run({{"p", no}, {"x", F(3)}}, {"sum"}).status();
    EXPECT_EQ(before.code(), Code::kUnimplemented);
    EXPECT_NE(before.message().find("'NorThis'"), std::string::npos) << before.ToString();
    EXPECT_NE(before.message().find("'always' (op NorThat)"), std::string::npos);
  }
}

TEST(SessionTest, FetchingADeadTensorNamesTheSwitch) {
  const auto session = Open(kCond);
  const auto values = session->Run({{"p", Tensor::Scalar(false)}, {"x", F(3)}}, {"t"});
  ASSERT_FALSE(values.ok());
  EXPECT_EQ(values.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(values.status().rule(), "fetch.1");
  EXPECT_NE(values.status().message().find("'s'"), std::string::npos);
}

TEST(SessionTest, RunsALoopToItsEnd) {
  const auto session = Open(kLoop);
  EXPECT_EQ(Text(session->Run({{"x", F(0)}, {"n", F(5)}}, {"out"})), "float[] 5");
  EXPECT_EQ(Text(session->Run({{"x", F(7)}, {"n", F(5)}}, {"out"})), "float[] 7");
}

TEST(SessionTest, SwapsVariablesAtOnce) {
  const auto session = Open(R"(
    a0 = Placeholder() dtype=float
    b0 = Placeholder() dtype=float
    ea = Enter(a0) frame_name=loop
    eb = Enter(b0) frame_name=loop
    a = Merge(ea, na)
    b = Merge(eb, nb)
    less = Less(a, b)
    c = LoopCond(less)
    sa = Switch(a, c)
    sb = Switch(b, c)
    na = NextIteration(sb:1)
    nb = NextIteration(sa:1)
    outa = Exit(sa:0)
    outb = Exit(sb:0)
  )");
  EXPECT_EQ(Text(session->Run({{"a0", F(1)}, {"b0", F(2)}}, {"outa", "outb"})),
            "float[] 2; float[] 1");
}

TEST(SessionTest, APredicateIsAScalar) {
  const auto session = Open(kCond);
  Tensor vector = *Tensor::Allocate(DType::kBool, Dims{1});
  vector.mutable_data<bool>()[0] = true;
  EXPECT_EQ(Text(session->Run({{"p", vector}, {"x", F(3)}}, {"m"})), "INVALID_ARGUMENT");
  EXPECT_EQ(Text(session->Run({{"p", vector}, {"x", F(3)}}, {}, {"s"})), "INVALID_ARGUMENT");
}

TEST(SessionTest, AnErrorSaysWhereAndTheSessionGoesOn) {
  const auto session = Open(R"(
    x = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    e = Enter(x) frame_name=loop T=int32
    k = Enter(zero) frame_name=loop is_constant=true T=int32
    m = Merge(e, next) T=int32
    less = Less(k, m) T=int32
    c = LoopCond(less)
    s = Switch(m, c) T=int32
    one = Const(^s) dtype=int32 value=1
    body = Sub(s:1, one) T=int32
    bad = FloorDiv(body, body) T=int32
    next = NextIteration(body, ^bad) T=int32
    out = Exit(s:0) T=int32
  )");
  const auto failed = session->Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"out"});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().node(), "bad");
  EXPECT_EQ(failed.status().tag(), "loop[2]");
  EXPECT_EQ(Text(session->Run({{"x", Tensor::Scalar<int32_t>(0)}}, {"out"})), "int32[] 0");
}

TEST(SessionTest, LimitsEndALoop) {
  const auto session = Open(kLoop);
  const NamedTensors feeds = {{"x", F(0)}, {"n", F(3e38f)}};  // x stops growing at 2^24
  RunOptions firings;
  firings.max_firings = 1000;
  EXPECT_EQ(Text(session->Run(feeds, {"out"}, {}, firings)), "RESOURCE_EXHAUSTED");
  RunOptions deadline;
  deadline.deadline_s = 0.01;
  EXPECT_EQ(Text(session->Run(feeds, {"out"}, {}, deadline)), "DEADLINE_EXCEEDED");
  std::atomic<int> asked = 0;
  RunOptions cancelled;
  cancelled.cancelled = [&] { return ++asked > 3; };
  EXPECT_EQ(Text(session->Run(feeds, {"out"}, {}, cancelled)), "CANCELLED");
  EXPECT_EQ(Text(session->Run({{"x", F(0)}, {"n", F(2)}}, {"out"})), "float[] 2");
}

TEST(SessionTest, WhatIsWrongWithACallIsSaid) {
  const auto session = Open(kLoop, {.devices = {"/device:CPU:0"}});
  EXPECT_EQ(Text(session->Run({}, {"out"})), "INVALID_ARGUMENT");
  EXPECT_EQ(Text(session->Run({}, {"nowhere"})), "NOT_FOUND");
  EXPECT_EQ(Text(session->Run({{"x", Tensor::Scalar<int32_t>(1)}, {"n", F(1)}}, {"out"})),
            "INVALID_ARGUMENT");
  const auto callable = session->MakeCallable({"x", "n"}, {"out"});
  ASSERT_TRUE(callable.ok());
  EXPECT_EQ(Text((*callable)->Run({F(1)})), "INVALID_ARGUMENT");
  EXPECT_EQ(Text((*callable)->Run({F(1), F(2)})), "float[] 2");
  SessionOptions many;
  many.threads = kMaxThreads + 1;
  EXPECT_FALSE(Session::Create(Graph(), many).ok());
}

// Ids of nodes have holes where nodes were removed, and go beyond the number of nodes. (A table
// that is too small for them is AddressSanitizer's to see.)
TEST(SessionTest, NodesMayHaveBeenRemoved) {
  std::string text;
  for (int i = 0; i < 1'000; ++i)
    text += "gone" + std::to_string(i) + " = Placeholder() dtype=float\n";
  TestGraph g(text + R"(
    a = Placeholder() dtype=float
    product = MatMul(a, a) T=float
  )",
              OpRegistry::Standard());
  Graph graph = g.Take();
  for (int i = 0; i < 1'000; ++i) graph.RemoveNode(static_cast<NodeId>(i));
  for (const int threads : {1, 2}) {
    SessionOptions options;
    options.threads = threads;
    const auto session = *Session::Create(graph.Clone(), options);
    const std::vector<float> three = {3};
    const Tensor a = Tensor::Of<float>(Dims{1, 1}, three);
    EXPECT_EQ(Text(session->Run({{"a", a}}, {"product"})), "float[1,1] [[9]]");
  }
}

TEST(SessionTest, AnyNumberOfThreadsWillDo) {
  for (const int threads : {0, 1, 1000}) {
    SessionOptions options;
    options.threads = threads;
    const auto session = Open(R"(
      x = Placeholder() dtype=float
      a = MatMul(x, x)
      b = MatMul(x, x)
      sum = Add(a, b)
    )",
                              options);
    const Tensor x = Tensor::Of<float>(Dims{1, 1}, std::vector<float>{3});
    EXPECT_EQ(Text(session->Run({{"x", x}}, {"sum"})), "float[1,1] [[18]]") << threads;
  }
}

TEST(SessionTest, StepsOnSeveralThreadsDoNotMeet) {
  const auto session = Open(kLoop);
  const auto callable = session->MakeCallable({"x", "n"}, {"out"});
  ASSERT_TRUE(callable.ok());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const auto values = (*callable)->Run({F(0), F(static_cast<float>(t * 10 + i % 10))});
        const bool right =
            values.ok() && (*values)[0].scalar<float>() == static_cast<float>(t * 10 + i % 10);
        wrong += right ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

constexpr char kSimple[] = R"(
  x = Placeholder() dtype=float
  p = Const() dtype=bool value=1
  two = Const() dtype=float value=2
  four = Add(two, two)
  s = Switch(x, p)
  t = Mul(s:1, four)
  f = Neg(s:0)
  m = Merge(f, t)
)";

// What was folded or merged may be fed and fetched all the same: each call has a graph of its own.
TEST(SessionTest, PassesChangeNoResult) {
  for (const char* passes : {"none", "all"}) {
    SessionOptions options;
    options.passes = *Passes::Parse(passes);
    options.simplify_if_worthwhile = false;
    auto session = *Session::Create(TestGraph(kSimple, OpRegistry::Standard()).Take(), options);
    const std::string about = (*session->MakeCallable({"x"}, {"m"}))->about();
    EXPECT_EQ(about.ends_with("simplified"), std::string(passes) == "all") << about;
    const auto result = [&](const NamedTensors& feeds, const std::string& fetch) {
      const Result<std::vector<Tensor>> values = session->Run(feeds, {fetch});
      return values.ok() ? (*values)[0].DebugString() : values.status().rule();
    };
    EXPECT_EQ(result({{"x", F(3)}}, "m"), "float[] 12");
    EXPECT_EQ(result({{"x", F(3)}, {"four", F(5)}}, "m"), "float[] 15");
    EXPECT_EQ(result({{"x", F(3)}, {"p", Tensor::Scalar(false)}}, "m"), "float[] -3");
    EXPECT_EQ(result({}, "four"), "float[] 4");
    EXPECT_EQ(result({{"x", F(3)}}, "f"), "fetch.1");
  }
}

// A product, a chain of elementwise kernels and a reduction, all large enough to be shared.
constexpr char kLarge[] = R"(
  x = Placeholder() dtype=float
  axis = Const() dtype=int32 value=1
  product = MatMul(x, x)
  sum = Add(product, x)
  gate = Sigmoid(sum)
  gated = Mul(gate, sum)
  total = Sum(gated, axis)
)";

TEST(SessionTest, ResultsAreTheSameOnAnyNumberOfThreads) {
  std::vector<float> values(400 * 400);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 101) / 50 - 1;
  const Tensor x = Tensor::Of<float>(Dims{400, 400}, values);
  SessionOptions options;
  const auto expected = Open(kLarge, options)->Run({{"x", x}}, {"gated", "total"});
  ASSERT_TRUE(expected.ok());
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const auto session = Open(kLarge, options);
    EXPECT_EQ((*session->MakeCallable({"x"}, {"total"}))->about(), "straight code");
    for (int run = 0; run < 5; ++run) {
      const auto got = session->Run({{"x", x}}, {"gated", "total"});
      ASSERT_TRUE(got.ok());
      for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(BitwiseEqual((*got)[i], (*expected)[i]));
    }
  }
}

// Two products that do not wait for each other, and one in a loop.
TEST(SessionTest, CallsWhoseHeavyKernelsMayOverlapAreMeasured) {
  SessionOptions options;
  options.threads = 2;
  const auto session = Open(R"(
    x = Placeholder() dtype=float
    a = MatMul(x, x)
    b = MatMul(x, a)
    c = MatMul(x, x) transpose_a=true
    both = Add(b, c)
  )",
                            options);
  EXPECT_EQ((*session->MakeCallable({"x"}, {"b"}))->about(), "straight code");
  const Callable* const both = *session->MakeCallable({"x"}, {"both"});
  EXPECT_TRUE(both->about().starts_with("straight code, or tokens")) << both->about();
  const Tensor x = Tensor::Of<float>(Dims{2, 2}, std::vector<float>{1, 2, 3, 4});
  for (int run = 0; run < 20; ++run) {
    EXPECT_EQ(Text(both->Run({x})), "float[2,2] [[47, 68], [95, 138]]");
  }
  EXPECT_EQ(both->Notes().size(), 1u);
}

}  // namespace
}  // namespace tagflow::optimized
