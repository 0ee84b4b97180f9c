// Programs in which kernels matter: loops over vectors and matrices.

#include "bench/program_maker.h"
#include "bench/program_makers.h"
#include "transform/gradients/gradients.h"

namespace tagflow::bench {
namespace {

Result<Program> MakeVector(int64_t trips, int64_t elements) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(trips);
  const Output factor = Const(s, Filled({elements}, 1.0001f));
  return maker.Finish(
      CountTo(s, n, {Const(s, 0), Const(s, Filled({elements}, 1))},
              [&](const Scope& b, const OutputList& v) { return Mul(b, v[1], factor); })[1]);
}

// x = softmax(x + ramp), by its formula.
Result<Program> MakeSoftmax(int64_t trips, int64_t elements) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(trips);
  Tensor steps = Filled({elements}, 0);
  for (int64_t i = 0; i < elements; ++i) {
    steps.mutable_data<float>()[i] = static_cast<float>(i) * 0.01f;
  }
  const Output ramp = Const(s, steps);
  const auto reduced = [](const Scope& b, const char* op, const Output& x) {
    return Op(b, op, {x, Const(b, 0)}, {{"keep_dims", true}})[0];
  };
  const Output x = CountTo(s, n, {Const(s, 0), Const(s, Filled({elements}, 0))},
                           [&](const Scope& b, const OutputList& v) {
                             const Output sum = Add(b, v[1], ramp);
                             const Output powers = Exp(b, Sub(b, sum, reduced(b, "Max", sum)));
                             return Div(b, powers, reduced(b, "Sum", powers));
                           })[1];
  return maker.Finish(Sum(s, Mul(s, x, ramp), 0));
}

// x[i] or x[i, j], as TensorFlow's Python writes it.
Output Sliced(const Scope& s, const Output& x, const std::vector<Output>& indices) {
  std::vector<Output> ends;
  for (const Output& i : indices) ends.push_back(Add(s, i, 1));
  const Output strides = Const(s, Tensor::Vector(std::vector<int32_t>(indices.size(), 1)));
  return Op(s, "StridedSlice", {x, Pack(s, indices), Pack(s, ends), strides},
            {{"shrink_axis_mask", (int64_t{1} << indices.size()) - 1}})[0];
}

Result<Program> MakeMatMul(int64_t trips, int64_t d, double scale) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(trips);
  const Output start = maker.Fed("a", Matrix({d, d}, 1));
  const Output w = maker.Fed("w", Matrix({d, d}, scale));
  return maker.Finish(CountTo(s, n, {Const(s, 0), start}, [&](const Scope& b, const OutputList& v) {
    return Tanh(b, MatMul(b, v[1], w));
  })[1]);
}

// One time step: x and h are [B,128], w [256,512].
//   returns: the next c and h
OutputList LstmCell(const Scope& s, const Output& x, const Output& h, const Output& c,
                    const Output& w, const Output& bias) {
  const Output z = Op(s, "BiasAdd", {MatMul(s, Concat(s, {x, h}, 1), w), bias});
  const Operation gates = Op(s, "Split", {1, z}, {{"num_split", int64_t{4}}});
  const Output forgotten = Mul(s, Sigmoid(s, Add(s, gates[2], 1)), c);
  const Output added = Mul(s, Sigmoid(s, gates[0]), Tanh(s, gates[1]));
  const Output next = Add(s, forgotten, added);
  return {next, Mul(s, Sigmoid(s, gates[3]), Tanh(s, next))};
}

// The sum of the last h; with its gradient, also the sums of the absolute values of those by w and
// by the bias.
Result<Program> MakeLstm(int64_t steps, int64_t batch, bool with_gradient) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Tensor all = Tensor::Vector<int32_t>({0, 1});
  const Output n = maker.Bound(steps);
  const Output xs = maker.Fed("xs", Matrix({steps, batch, 128}, 1));
  const Output w = maker.Fed("w", Matrix({256, 512}, 0.1));
  const Output bias = maker.Fed("bias", Filled({512}, 0));
  const Output zero = Const(s, Filled({batch, 128}, 0));
  const OutputList last = CountTo(s, n, {Const(s, 0), zero, zero},
                                  [&](const Scope& b, const OutputList& v) {
                                    return LstmCell(b, ElementAt(b, xs, v[0]), v[2], v[1], w, bias);
                                  },
                                  {.back_prop = with_gradient});
  const Output loss = Sum(s, last[2], all);
  if (!with_gradient) return maker.Finish(loss);
  const Result<OutputList> gradients = Gradients(s, loss, {w, bias});
  if (!gradients.ok()) return gradients.status();
  return maker.Finish(
      {loss, Sum(s, Abs(s, (*gradients)[0]), all), Sum(s, Abs(s, (*gradients)[1]), 0)});
}

Result<Program> MakeParallelMap(int64_t elements, int64_t parallel_iterations) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(elements);
  const Output rows = maker.Fed("rows", Matrix({elements, 256, 256}, 1));
  const Output w = maker.Fed("w", Matrix({256, 256}, 0.1));
  const TensorArray sums(s, n, DType::kFloat, {.element_shape = PartialShape(Dims{})});
  const CountedBody body = [&](const Scope& b, const OutputList& v) -> OutputList {
    const Output product = Tanh(b, MatMul(b, ElementAt(b, rows, v[0]), w));
    const Output sum = Sum(b, product, Tensor::Vector<int32_t>({0, 1}));
    return sums.WithFlow(v[1]).Write(b, v[0], sum).flow();
  };
  const OutputList written =
      CountTo(s, n, {Const(s, 0), sums.flow()}, body,
              {.parallel_iterations = parallel_iterations, .back_prop = false});
  return maker.Finish(Sum(s, sums.WithFlow(written[1]).Gather(s), 0));
}

}  // namespace

Result<Program> MakeVector100(int64_t size) { return MakeVector(size, 100); }
Result<Program> MakeSoftmax100(int64_t size) { return MakeSoftmax(size, 100); }
Result<Program> MakeSlices(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const Output x = maker.Fed("x", Filled({size}, 0.5f));
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0.0f)},
                              [&](const Scope& b, const OutputList& v) -> OutputList {
                                return Add(b, v[1], Sliced(b, x, {v[0]}));
                              })[1]);
}
Result<Program> MakeItems(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const Output x = maker.Fed("x", Filled({size, size}, 0.5f));
  const CountedBody row = [&](const Scope& b, const OutputList& i) -> OutputList {
    const CountedBody item = [&](const Scope& inner, const OutputList& j) -> OutputList {
      return Add(inner, j[1], Sliced(inner, x, {i[0], j[0]}));
    };
    return CountTo(b, n, {Const(b, 0), i[1]}, item)[1];
  };
  return maker.Finish(CountTo(s, n, {Const(s, 0), Const(s, 0.0f)}, row)[1]);
}
// x[i] = x[i - 1] / 2 + 1, as TensorFlow's Python writes it.
Result<Program> MakeChanges(int64_t size) {
  ProgramMaker maker;
  const Scope& s = maker.scope;
  const Output n = maker.Bound(size);
  const Output x = maker.Fed("x", Filled({size}, 1.0f));
  const CountedBody change = [](const Scope& b, const OutputList& v) -> OutputList {
    const Output half = Mul(b, Sliced(b, v[1], {Sub(b, v[0], 1)}), Const(b, 0.5f));
    const Output next = Add(b, half, Const(b, 1.0f));
    return Op(b, "TensorScatterUpdate", {v[1], Pack(b, {Pack(b, {v[0]})}), Pack(b, {next})});
  };
  const Output changed = CountTo(s, n, {Const(s, 1), x}, change)[1];
  return maker.Finish(Sliced(s, changed, {Sub(s, n, 1)}));
}
Result<Program> MakeVector100k(int64_t size) { return MakeVector(size, 100'000); }
Result<Program> MakeMatMul64(int64_t size) { return MakeMatMul(size, 64, 0.5); }
Result<Program> MakeMatMul512(int64_t size) { return MakeMatMul(size, 512, 0.15); }
Result<Program> MakeLstmBatch1(int64_t size) { return MakeLstm(size, 1, false); }
Result<Program> MakeLstmBatch64(int64_t size) { return MakeLstm(size, 64, false); }
Result<Program> MakeLstmGradient1(int64_t size) { return MakeLstm(size, 1, true); }
Result<Program> MakeLstmGradient64(int64_t size) { return MakeLstm(size, 64, true); }
Result<Program> MakeParallelMap1(int64_t size) { return MakeParallelMap(size, 1); }
Result<Program> MakeParallelMap10(int64_t size) { return MakeParallelMap(size, 10); }
Result<Program> MakeParallelMap32(int64_t size) { return MakeParallelMap(size, 32); }

}  // namespace tagflow::bench
