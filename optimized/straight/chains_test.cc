// Tests: chains.cc code.cc

#include "optimized/straight/chains.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "graph/host_memory.h"
#include "optimized/straight/test_step.h"

namespace tagflow::optimized {
namespace {

// Counts what is allocated, and lets all fail from some allocation on.
class Allocations : public HostMemoryWatch {
 public:
  explicit Allocations(int limit = -1) : limit_(limit) { WatchHostMemory(this); }
  ~Allocations() override { WatchHostMemory(nullptr); }
  bool Allocates(size_t) override {
    ++count_;
    return limit_ < 0 || count_ <= limit_;
  }
  void Frees(size_t) override {}
  int count() const { return count_; }

 private:
  const int limit_;
  int count_ = 0;
};

// Expects the bits and errors of the kernels one by one.
//   returns: how many allocations fewer there were
int ExpectSame(const std::string& text, const std::vector<Tensor>& feeds,
               const std::vector<std::string>& fetches) {
  int counts[2];
  std::string one_by_one, fused;
  {
    const Allocations allocations;
    one_by_one = BytesOneByOne(text, feeds, fetches);
    counts[0] = allocations.count();
  }
  {
    const Allocations allocations;
    fused = StepBytes(text, feeds, fetches);
    counts[1] = allocations.count();
  }
  EXPECT_FALSE(one_by_one.starts_with("invalid") || one_by_one.starts_with("no code"))
      << one_by_one;
  EXPECT_EQ(fused, one_by_one) << text;
  return counts[0] - counts[1];
}

std::vector<Tensor> Feeds(DType dtype, const Dims& a, const Dims& b, const Dims& c) {
  return {TestNumbers(dtype, a, 1), TestNumbers(dtype, b, 2), TestNumbers(dtype, c, 3)};
}

std::string Placeholders(const std::string& dtype) {
  std::string text;
  for (const char* name : {"a", "b", "c"}) {
    text += std::string(name) + " = Placeholder() dtype=" + dtype + "\n";
  }
  return text + "one = Const() dtype=" + dtype + " value=1\n";
}

// ---- A cell of an LSTM ----

std::string Cell(const std::string& axis) {
  return Placeholders("float") + "axis = Const() dtype=int32 value=" + axis + R"(
    z = BiasAdd(a, b)
    g = Split(axis, z) num_split=4
    forget = AddV2(g:2, one)
    sf = Sigmoid(forget)
    kept = Mul(sf, c)
    si = Sigmoid(g)
    tg = Tanh(g:1)
    added = Mul(si, tg)
    next = AddV2(kept, added)
    so = Sigmoid(g:3)
    tn = Tanh(next)
    h = Mul(so, tn)
  )";
}

TEST(FuseChainsTest, ACellOfAnLstmIsOnePass) {
  for (const int64_t batch : {1, 2, 64}) {
    const std::vector<Tensor> feeds = Feeds(DType::kFloat, {batch, 512}, {512}, {batch, 128});
    // Of BiasAdd, Split and ten more only the fetches are left.
    EXPECT_GE(ExpectSame(Cell("1"), feeds, {"h", "next"}), 3) << batch;
    EXPECT_GE(ExpectSame(Cell("-1"), feeds, {"next", "h"}), 3) << batch;
    ExpectSame(Cell("1"), feeds, {"h", "next", "z", "added", "sf"});
    // A part that is fetched is a tensor of its own; those behind it are still fused.
    EXPECT_GE(ExpectSame(Cell("1"), feeds, {"h", "next", "g:1"}), 2) << batch;
  }
}

TEST(FuseChainsTest, ShapesThatDoNotSuitAreLeftToTheKernels) {
  const auto expect = [](const std::string& axis, const Dims& a, const Dims& b, const Dims& c) {
    ExpectSame(Cell(axis), Feeds(DType::kFloat, a, b, c), {"h", "next"});
  };
  expect("1", {64, 8}, {8}, {64, 2});  // short rows
  expect("1", {2, 100'000}, {100'000}, {2, 25'000});
  expect("0", {64, 128}, {128}, {16, 128});  // parted along another axis
  expect("1", {64, 512}, {512}, {128});      // a row for all
  expect("1", {64, 512}, {512}, {64, 1});
  expect("1", {64, 512}, {512}, {1});
  expect("1", {64, 512}, {512}, {});
  expect("2", {3, 4, 512}, {512}, {3, 4, 128});
  expect("2", {3, 4, 512}, {512}, {4, 128});
  expect("1", {3, 4, 512}, {512}, {3, 1, 512});
  expect("1", {0, 512}, {512}, {0, 128});
  expect("1", {1, 4}, {4}, {1, 1});
  // Errors.
  expect("1", {64, 512}, {511}, {64, 128});
  expect("1", {64, 512}, {1, 512}, {64, 128});
  expect("1", {64, 512}, {512}, {64, 127});
  expect("1", {64, 510}, {510}, {64, 128});
  expect("1", {512}, {512}, {128});
  expect("2", {64, 512}, {512}, {64, 128});
  expect("-3", {64, 512}, {512}, {64, 128});
}

// ---- Any chain ----

std::string Update(const std::string& dtype) {
  std::string text = Placeholders(dtype);
  for (const char* call : {"m = Mul(a, b)", "s = Square(m)", "d = Sub(s, c)", "t = Mul(d, d)",
                           "e = Tanh(t)", "w = AddN(e, a)", "n = Neg(w)"}) {
    text += std::string(call) + " T=" + dtype + "\n";
  }
  return text;
}

TEST(FuseChainsTest, EveryBitIsThatOfTheKernels) {
  const Dims kDims[] = {{},      {1},    {1, 1}, {3},        {100},      {100'003}, {2, 50},
                        {1, 50}, {2, 1}, {50},   {4, 2, 50}, {4, 1, 50}, {0},       {0, 50}};
  for (const DType dtype : {DType::kFloat, DType::kDouble}) {
    const std::string text = Update(DTypeName(dtype));
    for (const Dims& a : kDims) {
      for (const Dims& b : kDims) {
        ExpectSame(text, Feeds(dtype, a, b, a), {"n"});
        ExpectSame(text, Feeds(dtype, a, b, b), {"n"});
      }
    }
    EXPECT_GT(ExpectSame(text, Feeds(dtype, {100}, {100}, {100}), {"n"}), 0);
    EXPECT_GT(ExpectSame(text, Feeds(dtype, {64, 50}, {50}, {64, 50}), {"n"}), 0);
    // What is fetched is kept, in memory of its own.
    ExpectSame(text, Feeds(dtype, {5000}, {5000}, {5000}), {"n", "m", "d", "a", "t", "w"});
    ExpectSame(text, Feeds(dtype, {64, 50}, {50}, {64, 1}), {"n", "e"});
  }
}

// Short floats, which the loops widen.
TEST(FuseChainsTest, ShortFloats) {
  for (const std::string dtype : {"half", "bfloat16"}) {
    const std::string text = Placeholders("float") + "x = Cast(a) SrcT=float DstT=" + dtype +
                             "\ny = Cast(b) SrcT=float DstT=" + dtype +
                             "\nm = Mul(x, y) T=" + dtype + "\nt = Sin(m) T=" + dtype +
                             "\nn = Sub(t, x) T=" + dtype + "\ns = Sigmoid(n) T=" + dtype +
                             "\nw = Mul(s, m) T=" + dtype + "\n";
    EXPECT_GE(ExpectSame(text, Feeds(DType::kFloat, {3000}, {3000}, {}), {"w", "x", "y"}), 1);
    ExpectSame(text, Feeds(DType::kFloat, {64, 300}, {300}, {}), {"w", "x"});
  }
}

// Of random calls, of which some are fetched and some read more than once.
TEST(FuseChainsTest, RandomChains) {
  std::mt19937 random(7);
  const auto below = [&](size_t limit) { return random() % limit; };
  const std::vector<std::string> maps = {"Sigmoid", "Tanh", "Neg", "Square", "Exp", "Relu", "Sin"};
  const std::vector<std::string> pairs = {"Mul", "AddV2", "Sub", "Maximum", "TanhGrad", "AddN"};
  const std::vector<Dims> kShapes = {{64, 128}, {128}, {64, 1}, {}, {1, 128}, {64, 128}};
  int fewer = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = Placeholders("float") + "axis = Const() dtype=int32 value=1\n";
    std::vector<std::string> values = {"a", "b", "c", "one", "a"};
    std::vector<std::string> fetches;
    const size_t count = 2 + below(20);
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "n" + std::to_string(i);
      const auto value = [&] {
        return values[values.size() - 1 - below(std::min<size_t>(6, values.size()))];
      };
      if (below(12) == 0) {
        text += name + " = Split(axis, " + value() + ") num_split=2\n";
        values.push_back(name);
        values.push_back(name + ":1");
      } else if (below(2) == 0) {
        text += name + " = " + maps[below(maps.size())] + "(" + value() + ")\n";
        values.push_back(name);
      } else {
        const std::string& op = pairs[below(pairs.size())];
        text += name + " = " + op + "(" + value() + ", " + value() + ")\n";
        values.push_back(name);
      }
      if (below(6) == 0) fetches.push_back(values.back());
    }
    fetches.push_back(values.back());
    const auto shape = [&] { return below(3) == 0 ? kShapes[below(kShapes.size())] : kShapes[0]; };
    const Dims a = shape(), b = shape(), c = shape();
    fewer += ExpectSame(text, Feeds(DType::kFloat, a, b, c), fetches) > 0 ? 1 : 0;
    if (HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(fewer, 50);
}

// ---- In a loop ----

// Calls of other dtypes and shapes beside the chain, and limits, which count each of its calls.
constexpr char kLoop[] = R"(
  a = Placeholder() dtype=float
  b = Placeholder() dtype=float
  c = Placeholder() dtype=float
  zero = Const() dtype=int32 value=0
  five = Const() dtype=int32 value=5
  one = Const() dtype=int32 value=1
  ei = Enter(zero) frame_name=f T=int32
  ea = Enter(a) frame_name=f
  ec = Enter(c) frame_name=f
  kb = Enter(b) frame_name=f is_constant=true
  k5 = Enter(five) frame_name=f is_constant=true T=int32
  k1 = Enter(one) frame_name=f is_constant=true T=int32
  i = Merge(ei, ni) T=int32
  t = Merge(ea, nt)
  u = Merge(ec, nu)
  less = Less(i, k5) T=int32
  go = LoopCond(less)
  si = Switch(i, go) T=int32
  st = Switch(t, go)
  su = Switch(u, go)
  i1 = Add(si:1, k1) T=int32
  m = Mul(st:1, kb)
  x = Tanh(m)
  y = AddV2(x, su:1)
  z = Mul(y, y)
  v = Sub(su:1, z)
  ni = NextIteration(i1) T=int32
  nt = NextIteration(y)
  nu = NextIteration(v)
  s = Exit(st:0)
  r = Exit(su:0)
)";

TEST(FuseChainsTest, ALoop) {
  const std::vector<Tensor> feeds = Feeds(DType::kFloat, {3000}, {3000}, {3000});
  EXPECT_GT(ExpectSame(kLoop, feeds, {"s", "r", "b"}), 0);
  ExpectSame(kLoop, Feeds(DType::kFloat, {}, {}, {}), {"s", "r"});
  ExpectSame(kLoop, Feeds(DType::kFloat, {}, {40}, {}), {"s", "r"});
  for (int64_t limit = 1; limit < 50; ++limit) {
    EXPECT_EQ(StepBytes(kLoop, feeds, {"s"}, KernelRegistry::Standard(), limit),
              BytesOneByOne(kLoop, feeds, {"s"}, limit))
        << limit;
  }
}

TEST(FuseChainsTest, WithoutMemoryAKernelSaysSo) {
  const std::string text = Update("float");
  const std::vector<Tensor> feeds = Feeds(DType::kFloat, {3000}, {3000}, {3000});
  const std::vector<std::string> fetches = {"n", "m", "a", "b", "c"};
  const std::string right = BytesOneByOne(text, feeds, fetches);
  int all = 0;
  {
    const Allocations allocations;
    EXPECT_EQ(StepBytes(text, feeds, fetches), right);
    all = allocations.count();
  }
  int failed = 0;
  // The first allocations are those of the feeds' copies.
  for (int limit = 3; limit < all; ++limit) {
    const Allocations allocations(limit);
    const std::string bytes = StepBytes(text, feeds, fetches);
    if (bytes == right) continue;
    EXPECT_TRUE(bytes.starts_with("RESOURCE_EXHAUSTED")) << bytes;
    EXPECT_NE(bytes.find("[node "), std::string::npos) << bytes;
    ++failed;
  }
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace tagflow::optimized
