// Programs in which the number of ops matters: without loops, and in branches that are not taken.

#include "bench/program_maker.h"
#include "bench/program_makers.h"

namespace tagflow::bench {
namespace {

// The generator that says which nodes a node of the wide graph takes.
class Draw {
 public:
  size_t Below(size_t n) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % n;
  }

 private:
  uint32_t state_ = 12345;
};

// `count` ops, one after the other: x, x + x, x + x + x …
Output Adds(const Scope& scope, const Output& x, int64_t count) {
  Output sum = x;
  for (int64_t i = 0; i < count; ++i) sum = Add(scope, sum, x);
  return sum;
}

Result<Program> MakeBranch(int64_t ops, bool taken) {
  ProgramMaker maker;
  const Output p = maker.Fed("p", Tensor::Scalar(taken));
  const Output x = maker.Fed("x", Tensor::Scalar(1.5f));
  return maker.Finish(Cond(
      maker.scope, p, [&](const Scope& b) { return Adds(b, x, ops); },
      [&](const Scope& b) { return Mul(b, x, 2); }));
}

Result<Program> MakeDeadLoop(int64_t trips, int64_t ops) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(trips);
  const Output p = maker.Fed("p", Tensor::Scalar(false));
  return maker.Finish(CountTo(
      s, n, {Const(s, 0), Const(s, 1.5f)}, [&](const Scope& b, const OutputList& v) -> OutputList {
        return Cond(
            b, p, [&](const Scope& branch) { return Adds(branch, v[1], ops); },
            [&](const Scope& branch) { return Mul(branch, v[1], 1); });
      }));
}

}  // namespace

Result<Program> MakeOneOp(int64_t) {
  ProgramMaker maker;
  const Output x = maker.Fed("x", Tensor::Scalar(1.0f));
  return maker.Finish(Add(maker.scope, x, 1));
}

Result<Program> MakeWide(int64_t size) {
  using Maker = Output (*)(const Scope&, const Input&, const Input&);
  static constexpr Maker kOps[] = {Minimum, Maximum, Sub};
  ProgramMaker maker;
  std::vector<Output> nodes = {maker.Fed("x", Tensor::Scalar(1.5f))};
  std::vector<bool> used(static_cast<size_t>(size) + 1);
  Draw draw;
  for (size_t k = 1; k < used.size(); ++k) {
    const size_t a = draw.Below(k);
    const size_t b = draw.Below(k);
    nodes.push_back(kOps[(k - 1) % 3](maker.scope, nodes[a], nodes[b]));
    used[a] = used[b] = true;
  }
  OutputList unused;
  for (size_t k = 0; k < used.size(); ++k) {
    if (!used[k]) unused.push_back(nodes[k]);
  }
  return maker.Finish(AddN(maker.scope, unused));
}

Result<Program> MakeChain(int64_t size) {
  ProgramMaker maker;
  const Output x = maker.Fed("x", Tensor::Scalar(1.5f));
  return maker.Finish(Adds(maker.scope, x, size));
}

Result<Program> MakeDeadBranch(int64_t size) { return MakeBranch(size, false); }
Result<Program> MakeLiveBranch(int64_t size) { return MakeBranch(size, true); }
Result<Program> MakeDeadLoop100(int64_t size) { return MakeDeadLoop(size, 100); }
Result<Program> MakeDeadLoop1000(int64_t size) { return MakeDeadLoop(size, 1000); }

}  // namespace tagflow::bench
