// Long short-term memories, a step or a sequence in a node, and their gradients.
//
// The part of the gates that the inputs make is one product for all times, and so are the gradients
// by inputs and weights; the cells' own part is a product for each time, since it hangs on the time
// before. What is between are loops over all cells of a time, vectorized, in memory that is
// allocated once. Floats are computed as floats, halves as doubles, along the whole sequence.
//
// Tested by conformance/ops/recurrent.ops.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "optimized/formulas/functions.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/float_elements.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/product.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/require_dims.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {
namespace {

// The inputs from x on. Of a single step there is no h, which is only known from outside.
enum Slot { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB, kI, kCs, kF, kO, kCi, kCo, kH };
constexpr const char* kNames[] = {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco",
                                  "b", "i",       "cs",     "f", "o",   "ci",  "co"};

struct Rule {
  bool is_sequence = false;
  bool has_peepholes = false;
  int64_t c_gate = 1, f_gate = 2;  // which gate is which; i is the first and o the last
  double forget_bias = 0, cell_clip = 0;

  int first() const { return is_sequence ? 1 : 0; }  // the slot of x
};

struct Sizes {
  int64_t time = 1, steps = 1, batch = 0, inputs = 0, cells = 0;

  int64_t states() const { return batch * cells; }
  int64_t rows() const { return steps * batch; }
  SmallDims cell_dims(const Rule& rule) const {
    SmallDims dims;
    if (rule.is_sequence) dims.push_back(time);
    dims.push_back(batch);
    dims.push_back(cells);
    return dims;
  }
};

SmallDims DimsOf(int64_t first) { return SmallDims(1, first); }
SmallDims DimsOf(int64_t first, int64_t second) {
  SmallDims dims(1, first);
  dims.push_back(second);
  return dims;
}

//   Errors: INVALID_ARGUMENT where seq_len_max is no length
Result<int64_t> StepsOf(const Tensor& length, int64_t time) {
  if (length.rank() != 0) return InvalidArgument("seq_len_max must be a scalar");
  const int64_t steps = *length.data<int64_t>();
  if (steps >= 0 && steps <= time) return steps;
  return InvalidArgument("seq_len_max must be in [0, " + std::to_string(time) + "], not " +
                         std::to_string(steps));
}

//   Errors: INVALID_ARGUMENT where inputs do not fit one another
Result<Sizes> SizesOf(const KernelContext& context, const Rule& rule) {
  const auto input = [&](int slot) -> const Tensor& { return context.input(rule.first() + slot); };
  const int rank = rule.is_sequence ? 3 : 2;
  if (input(kX).rank() != rank) return InvalidArgument("x must be " + std::to_string(rank) + "D");
  const Tensor& w = input(kW);
  if (w.rank() != 2 || w.dim(1) % 4 != 0) {
    return InvalidArgument("w must be a matrix with four columns for each cell");
  }
  Sizes sizes;
  sizes.time = rule.is_sequence ? input(kX).dim(0) : 1;
  sizes.batch = input(kX).dim(rank - 2);
  sizes.inputs = input(kX).dim(rank - 1);
  sizes.cells = w.dim(1) / 4;
  if (w.dim(0) - sizes.cells != sizes.inputs) {
    return InvalidArgument("w must have a row for each input and each cell");
  }
  for (int slot = kCsPrev; slot <= kB; ++slot) {
    if (slot == kW) continue;
    const SmallDims dims = slot == kB       ? DimsOf(w.dim(1))
                           : slot <= kHPrev ? DimsOf(sizes.batch, sizes.cells)
                                            : DimsOf(sizes.cells);
    TAGFLOW_RETURN_IF_ERROR(RequireDims(input(slot), dims, kNames[slot]));
  }
  sizes.steps = 1;
  if (rule.is_sequence) {
    TAGFLOW_ASSIGN_OR_RETURN(sizes.steps, StepsOf(context.input(0), sizes.time));
  }
  if (sizes.states() == 0) sizes.steps = 0;
  return sizes;
}

// ---- Loops ----

template <typename F, typename X>
TAGFLOW_WIDE_CLONES void Apply(X* values, int64_t count) {
  MapAlong<F, X>({values, values, count}, 0);
}
template <typename X>
void ApplySigmoid(X* values, int64_t count) {
  Apply<formulas::Sigmoid>(values, count);
}
template <typename X>
void ApplyTanh(X* values, int64_t count) {
  Apply<formulas::Tanh>(values, count);
}

template <typename X>
TAGFLOW_CLONES void AddThree(const X* a, const X* b, const X* c, int64_t count, X* out) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) out[k] = a[k] + b[k] + c[k];
}
template <typename X>
TAGFLOW_CLONES void AddProduct(const X* a, const X* b, int64_t count, X* sum) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) sum[k] += a[k] * b[k];
}
template <typename X>
TAGFLOW_CLONES void TakeIn(const X* ci, const X* i, const X* before, const X* f, int64_t count,
                           X* cs) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) cs[k] = ci[k] * i[k] + before[k] * f[k];
}
template <typename X>
TAGFLOW_CLONES void Clip(X most, int64_t count, X* values) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) {
    const X below = values[k] > most ? most : values[k];
    values[k] = below < -most ? -most : below;
  }
}
template <typename X>
TAGFLOW_CLONES void MultiplyInto(const X* a, const X* b, int64_t count, X* out) {
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) out[k] = a[k] * b[k];
}

// One row of a batch at one time, `count` cells: what is known, and what is found.
template <typename X>
struct BackwardRow {
  const X *i, *f, *o, *ci, *co, *before, *cs_grad, *h_grad;
  const X *wci, *wcf, *wco;
  X *by_i, *by_c, *by_f, *by_o;
  X* state;         // in: the gradient by the state from later times; out: by the state before
  const X* output;  // the same of the output
};
template <bool kHasPeepholes, typename X>
TAGFLOW_CLONES void GoBack(const BackwardRow<X>& row, int64_t count) {
  const BackwardRow<X> r = row;
  TAGFLOW_INDEPENDENT
  for (int64_t k = 0; k < count; ++k) {
    const X h_grad = r.h_grad[k] + r.output[k];
    const X by_o = r.o[k] * (1 - r.o[k]) * h_grad * r.co[k];
    X by_cs = (1 - r.co[k] * r.co[k]) * h_grad * r.o[k] + (r.cs_grad[k] + r.state[k]);
    if (kHasPeepholes) by_cs += by_o * r.wco[k];
    const X by_f = r.f[k] * (1 - r.f[k]) * by_cs * r.before[k];
    const X by_i = r.i[k] * (1 - r.i[k]) * by_cs * r.ci[k];
    X state = by_cs * r.f[k];
    if (kHasPeepholes) state += by_i * r.wci[k] + by_f * r.wcf[k];
    r.by_c[k] = (1 - r.ci[k] * r.ci[k]) * by_cs * r.i[k];
    r.by_i[k] = by_i;
    r.by_f[k] = by_f;
    r.by_o[k] = by_o;
    r.state[k] = state;
  }
}

// Adds values, or products, to sums that are rounded once.
template <typename X>
TAGFLOW_CLONES void AddTo(const X* values, int64_t count, double* sums) {
  for (int64_t k = 0; k < count; ++k) sums[k] += static_cast<double>(values[k]);
}
template <typename X>
TAGFLOW_CLONES void AddProductTo(const X* a, const X* b, int64_t count, double* sums) {
  for (int64_t k = 0; k < count; ++k) {
    sums[k] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  }
}

// ---- What both directions share ----

template <typename X>
constexpr DType kDTypeOf = DType::kFloat;
template <>
constexpr DType kDTypeOf<double> = DType::kDouble;

// Memory for `count` numbers that are not set.
template <typename X>
class Room {
 public:
  //   Errors: RESOURCE_EXHAUSTED
  static Result<Room> Of(int64_t rows, int64_t columns) {
    Room room;
    TAGFLOW_ASSIGN_OR_RETURN(room.tensor_,
                             Tensor::AllocateUninitialized(kDTypeOf<X>, DimsOf(rows, columns)));
    return room;
  }
  X* data() { return static_cast<X*>(tensor_.mutable_raw_data()); }

 private:
  Tensor tensor_;
};

template <typename X>
Factor Matrix(const X* data, int64_t rows, int64_t columns, bool is_transposed = false) {
  return {data, kDTypeOf<X>, rows, columns, is_transposed};
}

template <typename X>
using Inputs = std::vector<ElementsAs<X>>;

//   Errors: RESOURCE_EXHAUSTED
template <typename X>
Result<Inputs<X>> ReadInputs(const KernelContext& context, int first) {
  Inputs<X> inputs;
  for (int slot = first; slot < context.num_inputs(); ++slot) {
    TAGFLOW_ASSIGN_OR_RETURN(auto elements, ReadFloats<X>(context.input(slot)));
    inputs.push_back(std::move(elements));
  }
  return inputs;
}

// Output `port`, with zeros in it.
//   Errors: RESOURCE_EXHAUSTED
template <typename X>
Result<ElementsFor<X>> Zeros(KernelContext& context, int port, DType dtype, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * tensor, context.Allocate(port, dtype, dims));
  TAGFLOW_ASSIGN_OR_RETURN(auto elements, WriteFloats<X>(*tensor));
  std::fill_n(elements.data(), tensor->num_elements(), X(0));
  return elements;
}

// ---- Forward ----

// The outputs, in order.
enum Port { kOutI, kOutCs, kOutF, kOutO, kOutCi, kOutCo, kOutH, kNumOutputs };

template <typename X>
class Forward {
 public:
  Forward(const KernelContext& context, const Rule& rule, const Sizes& sizes,
          const Inputs<X>& inputs, const std::vector<ElementsFor<X>>& outputs)
      : context_(context), rule_(rule), sizes_(sizes), inputs_(inputs), outputs_(outputs) {}

  //   Errors: RESOURCE_EXHAUSTED
  Status Run() {
    const int64_t cells = sizes_.cells;
    TAGFLOW_ASSIGN_OR_RETURN(from_x_, Room<X>::Of(sizes_.rows(), 4 * cells));
    TAGFLOW_ASSIGN_OR_RETURN(from_h_, Room<X>::Of(sizes_.batch, 4 * cells));
    bias_.assign(inputs_[kB].data(), inputs_[kB].data() + 4 * cells);
    for (int64_t k = 0; k < cells; ++k) {
      bias_[static_cast<size_t>(rule_.f_gate * cells + k)] += static_cast<X>(rule_.forget_bias);
    }
    const X* w = inputs_[kW].data();
    TAGFLOW_RETURN_IF_ERROR(
        Multiply(kDTypeOf<X>, Matrix(inputs_[kX].data(), sizes_.rows(), sizes_.inputs),
                 Matrix(w, sizes_.inputs, 4 * cells), from_x_.data(), context_));
    for (int64_t t = 0; t < sizes_.steps; ++t) {
      const X* h = t == 0 ? inputs_[kHPrev].data() : At(kOutH, t - 1);
      TAGFLOW_RETURN_IF_ERROR(Multiply(kDTypeOf<X>, Matrix(h, sizes_.batch, cells),
                                       Matrix(w + sizes_.inputs * 4 * cells, cells, 4 * cells),
                                       from_h_.data(), context_));
      Step(t);
    }
    return Status();
  }

 private:
  X* At(Port port, int64_t t) const { return outputs_[port].data() + t * sizes_.states(); }

  // A gate of all cells at a time.
  void AddGate(Port port, int64_t which, int64_t t) {
    const int64_t cells = sizes_.cells;
    for (int64_t row = 0; row < sizes_.batch; ++row) {
      AddThree(from_x_.data() + ((t * sizes_.batch + row) * 4 + which) * cells,
               from_h_.data() + (row * 4 + which) * cells, bias_.data() + which * cells, cells,
               At(port, t) + row * cells);
    }
  }
  void AddPeephole(Port port, Slot weights, const X* state, int64_t t) {
    if (!rule_.has_peepholes) return;
    for (int64_t row = 0; row < sizes_.batch; ++row) {
      AddProduct(state + row * sizes_.cells, inputs_[weights].data(), sizes_.cells,
                 At(port, t) + row * sizes_.cells);
    }
  }

  void Step(int64_t t) {
    const int64_t states = sizes_.states();
    const X* before = t == 0 ? inputs_[kCsPrev].data() : At(kOutCs, t - 1);
    X *i = At(kOutI, t), *cs = At(kOutCs, t), *f = At(kOutF, t), *o = At(kOutO, t);
    X *ci = At(kOutCi, t), *co = At(kOutCo, t);
    AddGate(kOutI, 0, t);
    AddGate(kOutCi, rule_.c_gate, t);
    AddGate(kOutF, rule_.f_gate, t);
    AddGate(kOutO, 3, t);
    AddPeephole(kOutI, kWci, before, t);
    AddPeephole(kOutF, kWcf, before, t);
    ApplySigmoid(i, states);
    ApplyTanh(ci, states);
    ApplySigmoid(f, states);
    TakeIn(ci, i, before, f, states, cs);
    if (rule_.cell_clip > 0) Clip(static_cast<X>(rule_.cell_clip), states, cs);
    AddPeephole(kOutO, kWco, cs, t);
    ApplySigmoid(o, states);
    std::copy_n(cs, states, co);
    ApplyTanh(co, states);
    MultiplyInto(co, o, states, At(kOutH, t));
  }

  const KernelContext& context_;
  const Rule& rule_;
  const Sizes& sizes_;
  const Inputs<X>& inputs_;
  const std::vector<ElementsFor<X>>& outputs_;
  Room<X> from_x_, from_h_;  // what inputs, and what the cells, add to the gates
  std::vector<X> bias_;
};

//   seq_len_max: int64 scalar, of a sequence; x: [(time,) batch, inputs]; cs_prev, h_prev:
//   [batch, cells]; w: [inputs + cells, 4 cells]; wci, wcf, wco: [cells]; b: [4 cells]
//   i, cs, f, o, ci, co, h: [(time,) batch, cells], 0 from seq_len_max on
//   Errors: INVALID_ARGUMENT (shapes, a step without cells, or a length that is not of the time),
//   RESOURCE_EXHAUSTED
template <typename X>
Status RunForward(KernelContext& context, const Rule& rule) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sizes sizes, SizesOf(context, rule));
  if (!rule.is_sequence && sizes.states() == 0) {
    return InvalidArgument("cs_prev is empty, of shape " + DimsString(sizes.cell_dims(rule)));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Inputs<X> inputs, ReadInputs<X>(context, rule.first()));
  const DType dtype = context.input(rule.first()).dtype();
  std::vector<ElementsFor<X>> outputs;
  for (int port = 0; port < kNumOutputs; ++port) {
    TAGFLOW_ASSIGN_OR_RETURN(auto output, Zeros<X>(context, port, dtype, sizes.cell_dims(rule)));
    outputs.push_back(std::move(output));
  }
  if (sizes.steps > 0) {
    TAGFLOW_RETURN_IF_ERROR(Forward<X>(context, rule, sizes, inputs, outputs).Run());
  }
  for (ElementsFor<X>& output : outputs) output.Finish();
  return Status();
}

// ---- Backward ----

template <typename X>
class Backward {
 public:
  Backward(const KernelContext& context, const Rule& rule, const Sizes& sizes,
           const Inputs<X>& inputs)
      : context_(context), rule_(rule), sizes_(sizes), inputs_(inputs) {
    for (auto* sums : {&wci_, &wcf_, &wco_}) sums->resize(static_cast<size_t>(sizes.cells));
  }

  // gates: [steps, batch, 4 cells]; state, output: [batch, cells], zeros that become the gradients
  // by cs_prev and h_prev
  //   Errors: RESOURCE_EXHAUSTED
  Status Run(X* gates, X* state, X* output) {
    const int64_t cells = sizes_.cells;
    for (int64_t t = sizes_.steps - 1; t >= 0; --t) {
      for (int64_t row = 0; row < sizes_.batch; ++row) {
        StepBack(t, row, gates + (t * sizes_.batch + row) * 4 * cells, state + row * cells,
                 output + row * cells);
      }
      if (!rule_.is_sequence) return Status();
      TAGFLOW_RETURN_IF_ERROR(Multiply(
          kDTypeOf<X>, Matrix(gates + t * sizes_.batch * 4 * cells, sizes_.batch, 4 * cells),
          Matrix(inputs_[kW].data() + sizes_.inputs * 4 * cells, 4 * cells, cells, true), output,
          context_));
    }
    return Status();
  }

  const std::vector<double>& peephole_sums(int i) const {
    return i == 0 ? wci_ : i == 1 ? wcf_ : wco_;
  }

 private:
  void StepBack(int64_t t, int64_t row, X* gates, X* state, const X* output) {
    const int64_t cells = sizes_.cells, at = (t * sizes_.batch + row) * cells;
    const int grads = rule_.is_sequence ? kH + 1 : kH;
    const auto of = [&](int slot) { return inputs_[static_cast<size_t>(slot)].data() + at; };
    const X* before = t == 0 ? inputs_[kCsPrev].data() + row * cells : of(kCs) - sizes_.states();
    const BackwardRow<X> r = {of(kI),
                              of(kF),
                              of(kO),
                              of(kCi),
                              of(kCo),
                              before,
                              of(grads),
                              of(grads + 1),
                              inputs_[kWci].data(),
                              inputs_[kWcf].data(),
                              inputs_[kWco].data(),
                              gates,
                              gates + rule_.c_gate * cells,
                              gates + rule_.f_gate * cells,
                              gates + 3 * cells,
                              state,
                              output};
    if (!rule_.has_peepholes) return GoBack<false>(r, cells);
    GoBack<true>(r, cells);
    AddProductTo(r.by_i, before, cells, wci_.data());
    AddProductTo(r.by_f, before, cells, wcf_.data());
    AddProductTo(r.by_o, of(kCs), cells, wco_.data());
  }

  const KernelContext& context_;
  const Rule& rule_;
  const Sizes& sizes_;
  const Inputs<X>& inputs_;
  std::vector<double> wci_, wcf_, wco_;
};

// Outputs `port` and the two behind it: the gradients by the peepholes.
template <typename X>
Status StorePeepholes(KernelContext& context, int port, DType dtype, const Sizes& sizes,
                      const Backward<X>& backward) {
  for (int i = 0; i < 3; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(auto out, Zeros<X>(context, port + i, dtype, DimsOf(sizes.cells)));
    std::ranges::transform(backward.peephole_sums(i), out.data(),
                           [](double sum) { return static_cast<X>(sum); });
    out.Finish();
  }
  return Status();
}

// The gradients by x, w and b, all of which are sums over what the gates have.
template <typename X>
Status StoreSums(KernelContext& context, const Sizes& sizes, const Inputs<X>& inputs, X* gates) {
  const DType dtype = context.input(1 + kX).dtype();
  const int64_t columns = 4 * sizes.cells, rows = sizes.rows(), states = sizes.states();
  TAGFLOW_ASSIGN_OR_RETURN(auto x, Zeros<X>(context, 0, dtype, context.input(1 + kX).dims()));
  TAGFLOW_ASSIGN_OR_RETURN(auto w, Zeros<X>(context, 3, dtype, context.input(1 + kW).dims()));
  TAGFLOW_ASSIGN_OR_RETURN(auto b, Zeros<X>(context, 7, dtype, DimsOf(columns)));
  if (rows > 0) {
    TAGFLOW_ASSIGN_OR_RETURN(Room<X> h, Room<X>::Of(rows, sizes.cells));
    std::copy_n(inputs[kHPrev].data(), states, h.data());
    std::copy_n(inputs[kH].data(), (sizes.steps - 1) * states, h.data() + states);
    const Factor by_gates = Matrix(gates, rows, columns);
    TAGFLOW_RETURN_IF_ERROR(Multiply(kDTypeOf<X>, by_gates,
                                     Matrix(inputs[kW].data(), columns, sizes.inputs, true),
                                     x.data(), context));
    TAGFLOW_RETURN_IF_ERROR(Multiply(kDTypeOf<X>,
                                     Matrix(inputs[kX].data(), sizes.inputs, rows, true), by_gates,
                                     w.data(), context));
    TAGFLOW_RETURN_IF_ERROR(Multiply(kDTypeOf<X>, Matrix(h.data(), sizes.cells, rows, true),
                                     by_gates, w.data() + sizes.inputs * columns, context));
    std::vector<double> sums(static_cast<size_t>(columns));
    for (int64_t row = 0; row < rows; ++row) AddTo(gates + row * columns, columns, sums.data());
    std::ranges::transform(sums, b.data(), [](double sum) { return static_cast<X>(sum); });
  }
  for (ElementsFor<X>* output : {&x, &w, &b}) output->Finish();
  return Status();
}

//   Errors: INVALID_ARGUMENT where what an LSTM gave, or a gradient by it, is of another shape
Status RequireCells(const KernelContext& context, const Rule& rule, const Sizes& sizes) {
  for (int slot = kI; rule.first() + slot < context.num_inputs(); ++slot) {
    const std::string name = slot <= kCo ? kNames[slot] : "h, or a gradient by cs or h,";
    TAGFLOW_RETURN_IF_ERROR(
        RequireDims(context.input(rule.first() + slot), sizes.cell_dims(rule), name));
  }
  return Status();
}

//   the inputs of an LSTM, its outputs (of a step without h), and the gradients by cs and h
//   outputs: of a step the gradients by cs_prev, by the gates before sigmoid and tanh, and by wci,
//   wcf, wco; of a sequence by x, cs_prev, h_prev, w, wci, wcf, wco, b. 0 without peepholes
//   Errors: as RunForward
template <typename X>
Status RunBackward(KernelContext& context, const Rule& rule) {
  TAGFLOW_ASSIGN_OR_RETURN(const Sizes sizes, SizesOf(context, rule));
  TAGFLOW_RETURN_IF_ERROR(RequireCells(context, rule, sizes));
  TAGFLOW_ASSIGN_OR_RETURN(const Inputs<X> inputs, ReadInputs<X>(context, rule.first()));
  const DType dtype = context.input(rule.first()).dtype();
  const SmallDims dims = DimsOf(sizes.batch, sizes.cells);
  Backward<X> backward(context, rule, sizes, inputs);
  TAGFLOW_ASSIGN_OR_RETURN(auto state, Zeros<X>(context, rule.is_sequence ? 1 : 0, dtype, dims));
  if (!rule.is_sequence) {
    const SmallDims gate_dims = DimsOf(sizes.batch, 4 * sizes.cells);
    TAGFLOW_ASSIGN_OR_RETURN(auto gates, Zeros<X>(context, 1, dtype, gate_dims));
    std::vector<X> output(static_cast<size_t>(sizes.states()));  // nothing comes later
    TAGFLOW_RETURN_IF_ERROR(backward.Run(gates.data(), state.data(), output.data()));
    gates.Finish();
    state.Finish();
    return StorePeepholes(context, 2, dtype, sizes, backward);
  }
  TAGFLOW_ASSIGN_OR_RETURN(auto output, Zeros<X>(context, 2, dtype, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Room<X> gates, Room<X>::Of(sizes.rows(), 4 * sizes.cells));
  TAGFLOW_RETURN_IF_ERROR(backward.Run(gates.data(), state.data(), output.data()));
  state.Finish();
  output.Finish();
  TAGFLOW_RETURN_IF_ERROR(StorePeepholes(context, 4, dtype, sizes, backward));
  return StoreSums(context, sizes, inputs, gates.data());
}

// ---- Binding ----

Result<Rule> ReadRule(const Binding& binding) {
  const std::string& op = binding.node.op;
  Rule rule;
  rule.is_sequence = op.starts_with("Block");
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(rule.is_sequence ? 1 : 0),
                                       SetOf(DType::kHalf, DType::kFloat)));
  if (op.ends_with("V2")) std::swap(rule.c_gate, rule.f_gate);
  TAGFLOW_ASSIGN_OR_RETURN(rule.has_peepholes, BoolAttr(binding.node, "use_peephole"));
  if (op.find("Grad") != op.npos) return rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.cell_clip, FloatAttr(binding.node, "cell_clip"));
  if (op.ends_with("V2")) return rule;  // without a bias of its own for forgetting
  TAGFLOW_ASSIGN_OR_RETURN(rule.forget_bias, FloatAttr(binding.node, "forget_bias"));
  return rule;
}

Result<BoundKernel> BindForward(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, ReadRule(binding));
  const DType dtype = binding.input_dtype(static_cast<size_t>(rule.first()));
  return ForFloatType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel([rule](KernelContext& context) { return RunForward<X>(context, rule); });
  });
}
Result<BoundKernel> BindBackward(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const Rule rule, ReadRule(binding));
  const DType dtype = binding.input_dtype(static_cast<size_t>(rule.first()));
  return ForFloatType(dtype, [&]<typename X>(Computing<X>) {
    return BoundKernel([rule](KernelContext& context) { return RunBackward<X>(context, rule); });
  });
}

}  // namespace

Status RegisterLstmKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"BlockLSTM", BindForward, Cost::kHeavy},
                                {"BlockLSTMGrad", BindBackward, Cost::kHeavy},
                                {"BlockLSTMGradV2", BindBackward, Cost::kHeavy},
                                {"BlockLSTMV2", BindForward, Cost::kHeavy},
                                {"LSTMBlockCell", BindForward, Cost::kHeavy},
                                {"LSTMBlockCellGrad", BindBackward, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
