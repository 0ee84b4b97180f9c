// Long short-term memories, a step or a sequence in a node, and their gradients.
//
// Source: Sak, Senior, Beaufays, "Long short-term memory recurrent neural network architectures for
// large scale acoustic modeling", Interspeech 2014. At each time, with the cells' state cs and
// their output h of the time before,
//
//   [i, c, f, o] = [x, h] w + b         the gates, each a number for every cell
//   i  = sigmoid(i + cs * wci)          what is let in; wci, wcf and wco are the peepholes
//   ci = tanh(c)                        what there is to let in
//   f  = sigmoid(f + forget_bias + cs * wcf)
//   cs = ci * i + cs * f                clipped where cell_clip is above 0
//   o  = sigmoid(o + cs * wco)
//   co = tanh(cs)
//   h  = co * o
//
// Everything is computed in double, along the whole sequence, and rounded once.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/doubles.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

using Vector = std::vector<double>;

// The inputs that all these ops have in common.
struct Lstm {
  size_t first = 0;  // the slot of x; the others follow
  bool is_sequence = false;
  int64_t time = 1, batch = 0, inputs = 0, cells = 0;
  int64_t steps = 1;  // of the sequence, at most `time`
  bool has_peepholes = false;
  int64_t c_gate = 1, f_gate = 2;  // which gate is which; i is the first and o the last
  Vector x, cs_prev, h_prev, w, wci, wcf, wco, b;

  // Where what belongs to a cell, a gate or an input lies.
  size_t cell(int64_t t, int64_t row, int64_t k) const {
    return static_cast<size_t>((t * batch + row) * cells + k);
  }
  size_t gate(int64_t t, int64_t row, int64_t which, int64_t k) const {
    return static_cast<size_t>((t * batch + row) * 4 * cells + which * cells + k);
  }
  size_t input(int64_t t, int64_t row, int64_t j) const {
    return static_cast<size_t>((t * batch + row) * inputs + j);
  }
  size_t weight(int64_t j, int64_t which, int64_t k) const {
    return static_cast<size_t>(j * 4 * cells + which * cells + k);
  }
  // What a peephole of a cell lets through.
  double Peep(const Vector& weights, int64_t k, double value) const {
    return has_peepholes ? value * weights[static_cast<size_t>(k)] : 0;
  }
  Dims cell_dims() const { return is_sequence ? Dims{time, batch, cells} : Dims{batch, cells}; }
};

//   Errors: INVALID_ARGUMENT unless input `slot` is of this shape
Status RequireDims(const KernelContext& context, size_t slot, const Dims& dims) {
  const Tensor& input = context.inputs[slot];
  if (std::ranges::equal(input.dims(), dims)) return Status();
  return InvalidArgument(context.node.def->inputs[slot].name + " must be of shape " +
                         DimsString(dims) + ", not " + DimsString(input.dims()));
}

// The sizes, of which w says how many cells there are.
//   Errors: INVALID_ARGUMENT where the shapes of the inputs up to b do not fit one another
Status ReadSizes(const KernelContext& context, Lstm& lstm) {
  const Tensor& x = context.inputs[lstm.first];
  const Tensor& w = context.inputs[lstm.first + 3];
  const int rank = lstm.is_sequence ? 3 : 2;
  if (x.rank() != rank) return InvalidArgument("x must be " + std::to_string(rank) + "D");
  if (w.rank() != 2 || w.dim(1) % 4 != 0) {
    return InvalidArgument("w must be a matrix with four columns for each cell, not " +
                           DimsString(w.dims()));
  }
  lstm.time = lstm.is_sequence ? x.dim(0) : 1;
  lstm.batch = x.dim(rank - 2);
  lstm.inputs = x.dim(rank - 1);
  lstm.cells = w.dim(1) / 4;
  if (w.dim(0) - lstm.cells != lstm.inputs) {
    return InvalidArgument("w must have a row for each input and each cell, not " +
                           DimsString(w.dims()) + " for x of " + DimsString(x.dims()));
  }
  const Dims state = {lstm.batch, lstm.cells}, vector = {lstm.cells};
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context, lstm.first + 1, state));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context, lstm.first + 2, state));
  for (const size_t peephole : {4, 5, 6}) {
    TAGFLOW_RETURN_IF_ERROR(RequireDims(context, lstm.first + peephole, vector));
  }
  return RequireDims(context, lstm.first + 7, {w.dim(1)});
}

//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes, or a length that is not of the time)
Result<Lstm> ReadLstm(const KernelContext& context) {
  Lstm lstm;
  lstm.is_sequence = context.node.op.starts_with("Block");
  lstm.first = lstm.is_sequence ? 1 : 0;
  if (context.node.op.ends_with("V2")) std::swap(lstm.c_gate, lstm.f_gate);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, context.inputs[lstm.first].dtype(),
                                       {DType::kHalf, DType::kFloat}));
  TAGFLOW_ASSIGN_OR_RETURN(lstm.has_peepholes, BoolAttr(context.node, "use_peephole"));
  TAGFLOW_RETURN_IF_ERROR(ReadSizes(context, lstm));
  if (lstm.is_sequence) {
    TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[0], "seq_len_max"));
    TAGFLOW_ASSIGN_OR_RETURN(lstm.steps, SingleIndex(context.inputs[0], "seq_len_max"));
    if (lstm.steps < 0 || lstm.steps > lstm.time) {
      return InvalidArgument("seq_len_max must be in [0, " + std::to_string(lstm.time) + "], not " +
                             std::to_string(lstm.steps));
    }
  }
  if (lstm.batch * lstm.cells == 0) lstm.steps = 0;  // however long it takes, nothing happens
  Vector* const parts[] = {&lstm.x,   &lstm.cs_prev, &lstm.h_prev, &lstm.w,
                           &lstm.wci, &lstm.wcf,     &lstm.wco,    &lstm.b};
  for (size_t i = 0; i < std::size(parts); ++i) {
    *parts[i] = LoadDoubles(context.inputs[lstm.first + i]);
  }
  return lstm;
}

// ---- Forward ----

struct Cells {
  Vector i, cs, f, o, ci, co, h;  // [time, batch, cells], in the order of the outputs
};

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Options {
  double forget_bias = 0, cell_clip = 0;
};

// V2 has no bias of its own for forgetting.
Result<Options> ReadOptions(const Node& node) {
  Options options;
  TAGFLOW_ASSIGN_OR_RETURN(options.cell_clip, FloatAttr(node, "cell_clip"));
  if (node.op.ends_with("V2")) return options;
  TAGFLOW_ASSIGN_OR_RETURN(options.forget_bias, FloatAttr(node, "forget_bias"));
  return options;
}

// One cell at one time; its state and all outputs of the time before are known.
void Step(const Lstm& lstm, const Options& options, int64_t t, int64_t row, int64_t k,
          Cells& cells) {
  const size_t at = lstm.cell(t, row, k);
  const auto before = [&](const Vector& first, const Vector& all, int64_t cell) {
    return t == 0 ? first[lstm.cell(0, row, cell)] : all[lstm.cell(t - 1, row, cell)];
  };
  const auto sum = [&](int64_t which) {
    double total = lstm.b[static_cast<size_t>(which * lstm.cells + k)];
    for (int64_t j = 0; j < lstm.inputs; ++j) {
      total += lstm.x[lstm.input(t, row, j)] * lstm.w[lstm.weight(j, which, k)];
    }
    for (int64_t j = 0; j < lstm.cells; ++j) {
      total += before(lstm.h_prev, cells.h, j) * lstm.w[lstm.weight(lstm.inputs + j, which, k)];
    }
    return total;
  };
  const auto peephole = [&](const Vector& weights, double value) {
    return lstm.Peep(weights, k, value);
  };
  const double state = before(lstm.cs_prev, cells.cs, k);
  cells.i[at] = Sigmoid(sum(0) + peephole(lstm.wci, state));
  cells.ci[at] = std::tanh(sum(lstm.c_gate));
  cells.f[at] = Sigmoid(sum(lstm.f_gate) + options.forget_bias + peephole(lstm.wcf, state));
  double next = cells.ci[at] * cells.i[at] + state * cells.f[at];
  if (options.cell_clip > 0) next = std::clamp(next, -options.cell_clip, options.cell_clip);
  cells.cs[at] = next;
  cells.o[at] = Sigmoid(sum(3) + peephole(lstm.wco, next));
  cells.co[at] = std::tanh(next);
  cells.h[at] = cells.co[at] * cells.o[at];
}

//   seq_len_max: int64 scalar, of a sequence; x: [(time,) batch, inputs]; cs_prev, h_prev:
//   [batch, cells]; w: [inputs + cells, 4 cells]; wci, wcf, wco: [cells]; b: [4 cells]
//   i, cs, f, o, ci, co, h: [(time,) batch, cells], 0 from seq_len_max on
//   Errors: of ReadLstm; INVALID_ARGUMENT for a step without cells; RESOURCE_EXHAUSTED
Status LstmForward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Lstm lstm, ReadLstm(context));
  TAGFLOW_ASSIGN_OR_RETURN(const Options options, ReadOptions(context.node));
  if (!lstm.is_sequence && lstm.cs_prev.empty()) {
    return InvalidArgument("cs_prev is empty, of shape " + DimsString(lstm.cell_dims()));
  }
  const Dims dims = lstm.cell_dims();
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(Dims{lstm.time, lstm.batch, lstm.cells, 7}));
  Cells cells;
  Vector* const outputs[] = {&cells.i,  &cells.cs, &cells.f, &cells.o,
                             &cells.ci, &cells.co, &cells.h};
  for (Vector* output : outputs) {
    output->resize(static_cast<size_t>(lstm.time * lstm.batch * lstm.cells));
  }
  for (int64_t t = 0; t < lstm.steps; ++t) {
    for (int64_t row = 0; row < lstm.batch; ++row) {
      for (int64_t k = 0; k < lstm.cells; ++k) Step(lstm, options, t, row, k, cells);
    }
  }
  for (size_t port = 0; port < std::size(outputs); ++port) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[port], StoreDoubles(context.inputs[lstm.first].dtype(),
                                                                 dims, *outputs[port]));
  }
  return Status();
}

// ---- Backward ----

// Gradients by the gates' sums, and by what is there for each cell.
struct Gradients {
  Vector gates;            // [time, batch, 4 cells]
  Vector cs_prev, h_prev;  // [batch, cells]
  Vector wci, wcf, wco;    // [cells]
};

//   Errors: INVALID_ARGUMENT for shapes
Result<Cells> ReadCells(const KernelContext& context, const Lstm& lstm, Vector& cs_grad,
                        Vector& h_grad) {
  Cells cells;
  std::vector<Vector*> parts = {&cells.i, &cells.cs, &cells.f, &cells.o, &cells.ci, &cells.co};
  if (lstm.is_sequence) parts.push_back(&cells.h);
  parts.insert(parts.end(), {&cs_grad, &h_grad});
  for (size_t i = 0; i < parts.size(); ++i) {
    TAGFLOW_RETURN_IF_ERROR(RequireDims(context, lstm.first + 8 + i, lstm.cell_dims()));
    *parts[i] = LoadDoubles(context.inputs[lstm.first + 8 + i]);
  }
  return cells;
}

// One cell at one time, given the gradients by its state and output there. The clipping of the
// state is taken for no change at all.
void StepBack(const Lstm& lstm, const Cells& cells, int64_t t, int64_t row, int64_t k,
              double cs_grad, double h_grad, Gradients& gradients) {
  const size_t at = lstm.cell(t, row, k), cell = static_cast<size_t>(k);
  const double i = cells.i[at], f = cells.f[at], o = cells.o[at];
  const double ci = cells.ci[at], co = cells.co[at], cs = cells.cs[at];
  const double before =
      t == 0 ? lstm.cs_prev[lstm.cell(0, row, k)] : cells.cs[lstm.cell(t - 1, row, k)];
  const double by_o = o * (1 - o) * h_grad * co;
  const double by_cs = (1 - co * co) * h_grad * o + cs_grad + lstm.Peep(lstm.wco, k, by_o);
  const double by_ci = (1 - ci * ci) * by_cs * i;
  const double by_f = f * (1 - f) * by_cs * before;
  const double by_i = i * (1 - i) * by_cs * ci;
  gradients.gates[lstm.gate(t, row, 0, k)] = by_i;
  gradients.gates[lstm.gate(t, row, lstm.c_gate, k)] = by_ci;
  gradients.gates[lstm.gate(t, row, lstm.f_gate, k)] = by_f;
  gradients.gates[lstm.gate(t, row, 3, k)] = by_o;
  gradients.cs_prev[lstm.cell(0, row, k)] =
      by_cs * f + lstm.Peep(lstm.wci, k, by_i) + lstm.Peep(lstm.wcf, k, by_f);
  if (!lstm.has_peepholes) return;
  gradients.wci[cell] += by_i * before;
  gradients.wcf[cell] += by_f * before;
  gradients.wco[cell] += by_o * cs;
}

// The gradient by row j of what the gates of a batch row were made of.
double ByFactor(const Lstm& lstm, const Vector& gates, int64_t t, int64_t row, int64_t j) {
  double sum = 0;
  for (int64_t which = 0; which < 4; ++which) {
    for (int64_t k = 0; k < lstm.cells; ++k) {
      sum += gates[lstm.gate(t, row, which, k)] * lstm.w[lstm.weight(j, which, k)];
    }
  }
  return sum;
}

Gradients GoBack(const Lstm& lstm, const Cells& cells, const Vector& cs_grad,
                 const Vector& h_grad) {
  const auto states = static_cast<size_t>(lstm.batch * lstm.cells);
  const auto count = static_cast<size_t>(lstm.cells);
  Gradients gradients;
  gradients.gates.resize(static_cast<size_t>(lstm.time) * 4 * states);
  gradients.cs_prev.resize(states);
  gradients.h_prev.resize(states);
  for (Vector* sums : {&gradients.wci, &gradients.wcf, &gradients.wco}) sums->resize(count);
  for (int64_t t = lstm.steps - 1; t >= 0; --t) {
    for (int64_t row = 0; row < lstm.batch; ++row) {
      for (int64_t k = 0; k < lstm.cells; ++k) {
        const size_t at = lstm.cell(t, row, k), next = lstm.cell(0, row, k);
        StepBack(lstm, cells, t, row, k, cs_grad[at] + gradients.cs_prev[next],
                 h_grad[at] + gradients.h_prev[next], gradients);
      }
      for (int64_t k = 0; k < lstm.cells; ++k) {
        gradients.h_prev[lstm.cell(0, row, k)] =
            ByFactor(lstm, gradients.gates, t, row, lstm.inputs + k);
      }
    }
  }
  return gradients;
}

Status StoreAll(KernelContext& context, DType dtype,
                const std::vector<std::pair<Dims, const Vector*>>& outputs) {
  for (size_t port = 0; port < outputs.size(); ++port) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[port],
                             StoreDoubles(dtype, outputs[port].first, *outputs[port].second));
  }
  return Status();
}

//   the inputs of LSTMBlockCell, its outputs but h, and the gradients by cs and h, as these are
//   cs_prev_grad: [batch, cells]; dicfo: [batch, 4 cells], by the gates before sigmoid and tanh;
//   wci_grad, wcf_grad, wco_grad: [cells], 0 without peepholes
//   Errors: of ReadLstm, and INVALID_ARGUMENT for other shapes
Status LstmStepBackward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Lstm lstm, ReadLstm(context));
  Vector cs_grad, h_grad;
  TAGFLOW_ASSIGN_OR_RETURN(const Cells cells, ReadCells(context, lstm, cs_grad, h_grad));
  const Gradients gradients = GoBack(lstm, cells, cs_grad, h_grad);
  const Dims vector = {lstm.cells};
  return StoreAll(context, context.inputs[0].dtype(),
                  {{{lstm.batch, lstm.cells}, &gradients.cs_prev},
                   {{lstm.batch, 4 * lstm.cells}, &gradients.gates},
                   {vector, &gradients.wci},
                   {vector, &gradients.wcf},
                   {vector, &gradients.wco}});
}

//   the inputs of BlockLSTM, its outputs, and the gradients by cs and h, as these are
//   outputs: the gradients by x, cs_prev, h_prev, w, wci, wcf, wco (0 without peepholes) and b
//   Errors: as LSTMBlockCellGrad
Status LstmBackward(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Lstm lstm, ReadLstm(context));
  Vector cs_grad, h_grad;
  TAGFLOW_ASSIGN_OR_RETURN(const Cells cells, ReadCells(context, lstm, cs_grad, h_grad));
  const Gradients gradients = GoBack(lstm, cells, cs_grad, h_grad);
  Vector x_grad(lstm.x.size()), w_grad(lstm.w.size()), b_grad(lstm.b.size());
  for (int64_t t = 0; t < lstm.steps; ++t) {
    for (int64_t row = 0; row < lstm.batch; ++row) {
      const auto gates =
          gradients.gates.begin() + static_cast<std::ptrdiff_t>(lstm.gate(t, row, 0, 0));
      const auto add = [&](int64_t j, double factor) {
        for (size_t g = 0; g < b_grad.size(); ++g) {
          w_grad[lstm.weight(j, 0, 0) + g] += factor * gates[static_cast<std::ptrdiff_t>(g)];
        }
      };
      for (int64_t j = 0; j < lstm.inputs; ++j) {
        x_grad[lstm.input(t, row, j)] = ByFactor(lstm, gradients.gates, t, row, j);
        add(j, lstm.x[lstm.input(t, row, j)]);
      }
      for (int64_t k = 0; k < lstm.cells; ++k) {
        add(lstm.inputs + k,
            t == 0 ? lstm.h_prev[lstm.cell(0, row, k)] : cells.h[lstm.cell(t - 1, row, k)]);
      }
      for (size_t g = 0; g < b_grad.size(); ++g) b_grad[g] += gates[static_cast<std::ptrdiff_t>(g)];
    }
  }
  const Dims state = {lstm.batch, lstm.cells}, vector = {lstm.cells};
  return StoreAll(context, context.inputs[1].dtype(),
                  {{ToDims(context.inputs[1].dims()), &x_grad},
                   {state, &gradients.cs_prev},
                   {state, &gradients.h_prev},
                   {ToDims(context.inputs[4].dims()), &w_grad},
                   {vector, &gradients.wci},
                   {vector, &gradients.wcf},
                   {vector, &gradients.wco},
                   {{4 * lstm.cells}, &b_grad}});
}

}  // namespace

Status RegisterLstmKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"BlockLSTM", LstmForward},
                                {"BlockLSTMGrad", LstmBackward},
                                {"BlockLSTMGradV2", LstmBackward},
                                {"BlockLSTMV2", LstmForward},
                                {"LSTMBlockCell", LstmForward},
                                {"LSTMBlockCellGrad", LstmStepBackward}});
}

}  // namespace tagflow::reference
