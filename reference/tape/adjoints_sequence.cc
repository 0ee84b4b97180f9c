// Derivatives of what is computed along a sequence.
//
// The loss of connectionist temporal classification is minus the logarithm of a sum over paths of
// products of the probabilities on each path. The derivative is found by going through the paths
// one by one, which only short sequences allow.
//
// Recurrent cells are computed anew for each number that they are differentiated by, with how all
// of it moves when that number does.

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "reference/tape/adjoint.h"

namespace tagflow::reference {
namespace {

// One of the batch.
struct Spelling {
  std::vector<std::vector<double>> probabilities;  // [time][class]
  std::vector<int64_t> labels;
  bool merges = true;

  int64_t blank() const { return static_cast<int64_t>(probabilities[0].size()) - 1; }

  // What a path spells: its classes without blanks, and without repeats where they merge.
  std::vector<int64_t> Spelled(const std::vector<int64_t>& path) const {
    std::vector<int64_t> spelled;
    for (size_t t = 0; t < path.size(); ++t) {
      const bool repeats = merges && t > 0 && path[t] == path[t - 1];
      if (path[t] != blank() && !repeats) spelled.push_back(path[t]);
    }
    return spelled;
  }

  // Calls visit(path, probability) for each path that spells the labels.
  void ForEachPath(const std::function<void(const std::vector<int64_t>&, double)>& visit) const {
    std::vector<int64_t> path(probabilities.size(), 0);
    for (;;) {
      double probability = 1;
      for (size_t t = 0; t < path.size(); ++t) {
        probability *= probabilities[t][static_cast<size_t>(path[t])];
      }
      if (Spelled(path) == labels) visit(path, probability);
      size_t t = 0;
      while (t < path.size() && ++path[t] > blank()) path[t++] = 0;
      if (t == path.size()) return;
    }
  }
};

std::vector<double> SoftmaxOf(const std::vector<double>& scores) {
  double sum = 0;
  for (const double score : scores) sum += std::exp(score);
  std::vector<double> softmax;
  for (const double score : scores) softmax.push_back(std::exp(score) / sum);
  return softmax;
}

//   inputs [time, batch, classes], labels_indices, labels_values, sequence_length
Status CtcLoss(FiringPartials& firing) {
  if (firing.flows_from(1)) return Unimplemented("a second derivative of CTCLoss");
  TAGFLOW_ASSIGN_OR_RETURN(const bool merges, BoolAttr(firing.node(), "ctc_merge_repeated"));
  const std::vector<double> scores = ToDoubles(firing.input(0));
  const std::vector<int64_t> places = ToIntegers(firing.input(1));
  const std::vector<int64_t> labels = ToIntegers(firing.input(2));
  const std::vector<int64_t> lengths = ToIntegers(firing.input(3));
  const size_t batch = lengths.size();
  const auto classes = static_cast<size_t>(firing.input(0).dims()[2]);
  for (size_t b = 0; b < batch; ++b) {
    Spelling spelling;
    spelling.merges = merges;
    const auto at = [&](size_t t, size_t c) { return (t * batch + b) * classes + c; };
    for (size_t t = 0; t < static_cast<size_t>(lengths[b]); ++t) {
      spelling.probabilities.push_back(
          SoftmaxOf({scores.begin() + static_cast<std::ptrdiff_t>(at(t, 0)),
                     scores.begin() + static_cast<std::ptrdiff_t>(at(t, classes))}));
    }
    for (size_t i = 0; i < labels.size(); ++i) {
      if (places[2 * i] == static_cast<int64_t>(b)) spelling.labels.push_back(labels[i]);
    }
    double total = 0;
    std::vector<double> passing(spelling.probabilities.size() * classes);  // of paths, by place
    spelling.ForEachPath([&](const std::vector<int64_t>& path, double probability) {
      total += probability;
      for (size_t t = 0; t < path.size(); ++t) {
        passing[t * classes + static_cast<size_t>(path[t])] += probability;
      }
    });
    for (size_t t = 0; t < spelling.probabilities.size(); ++t) {
      for (size_t c = 0; c < classes; ++c) {
        const double softmax = spelling.probabilities[t][c];
        const double share = passing[t * classes + c] / total;
        firing.Add(0, b, 0, at(t, c), softmax - share, softmax + share);
      }
    }
  }
  return Status();
}

// ---- Recurrent cells ----

// A number, how fast it moves, and the size of the terms that this is the sum of.
struct Moving {
  double value = 0, slope = 0, size = 0;
};
Moving operator+(Moving a, Moving b) {
  return {a.value + b.value, a.slope + b.slope, a.size + b.size};
}
Moving operator*(Moving a, Moving b) {
  return {a.value * b.value, a.slope * b.value + b.slope * a.value,
          a.size * std::abs(b.value) + b.size * std::abs(a.value)};
}
Moving OneMinus(Moving x) { return {1 - x.value, -x.slope, x.size}; }
Moving TanhOf(Moving x) {
  const double y = std::tanh(x.value);
  return {y, (1 - y * y) * x.slope, (1 + y * y) * x.size};
}
Moving SigmoidOf(Moving x) {
  const double y = 1 / (1 + std::exp(-x.value));
  return {y, y * (1 - y) * x.slope, y * (1 + y) * x.size};
}

using Movings = std::vector<Moving>;
using Outputs = std::vector<std::pair<size_t, Movings>>;  // by port

// The derivatives of `function` of the inputs, by one number after the other.
void AddByEach(FiringPartials& firing,
               const std::function<Outputs(const std::vector<Movings>& inputs)>& function) {
  std::vector<Movings> inputs(firing.num_inputs());
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    for (const double value : ToDoubles(firing.input(slot))) inputs[slot].push_back({value, 0, 0});
  }
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    if (!firing.flows_to(slot)) continue;
    for (size_t i = 0; i < inputs[slot].size(); ++i) {
      Moving& moved = inputs[slot][i];
      moved = {moved.value, 1, 1};
      for (const auto& [port, output] : function(inputs)) {
        for (size_t o = 0; o < output.size(); ++o) {
          firing.Add(port, o, slot, i, output[o].slope, output[o].size);
        }
      }
      moved = {moved.value, 0, 0};
    }
  }
}

//   Errors: UNIMPLEMENTED where something depends on an output that has no gradient
Status RequireOnly(const FiringPartials& firing, size_t one, size_t other) {
  for (size_t port = 0; port < firing.num_outputs(); ++port) {
    if (port != one && port != other && firing.flows_from(port)) {
      return Unimplemented("the derivative of what is inside of " + firing.node().op);
    }
  }
  return Status();
}

// Column `column` of b + [x, h] w, for one row of x and of h.
Moving Gate(const Movings& x, const Movings& h, const Movings& w, const Movings& b, size_t row,
            size_t column) {
  const size_t columns = b.size(), inputs_and_cells = w.size() / columns;
  const size_t cells = h.size();
  const size_t inputs = inputs_and_cells - cells;
  Moving sum = b[column];
  for (size_t j = 0; j < inputs; ++j) sum = sum + x[row * inputs + j] * w[j * columns + column];
  for (size_t j = 0; j < cells; ++j) sum = sum + h[j] * w[(inputs + j) * columns + column];
  return sum;
}

struct LstmAttrs {
  size_t steps = 1, c_gate = 1, f_gate = 2;
  bool has_peepholes = false;
  double forget_bias = 0, cell_clip = 0;
};

// inputs: x, cs_prev, h_prev, w, wci, wcf, wco, b. A row of the batch after the other.
Outputs Lstm(const LstmAttrs& attrs, size_t batch, const Movings* inputs, size_t elements) {
  const Movings& x = inputs[0];
  const Movings& w = inputs[3];
  const size_t cells = inputs[7].size() / 4;
  const auto peephole = [&](size_t which, size_t k, Moving state) {
    return attrs.has_peepholes ? state * inputs[which][k] : Moving();
  };
  Movings all_cs(elements), all_h(elements);
  for (size_t row = 0; row < batch; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * cells);
    const auto last = first + static_cast<std::ptrdiff_t>(cells);
    Movings cs(inputs[1].begin() + first, inputs[1].begin() + last);
    Movings h(inputs[2].begin() + first, inputs[2].begin() + last);
    for (size_t t = 0; t < attrs.steps; ++t) {
      Movings next_cs, next_h;
      for (size_t k = 0; k < cells; ++k) {
        const auto gate = [&](size_t which) {
          return Gate(x, h, w, inputs[7], t * batch + row, which * cells + k);
        };
        const Moving i = SigmoidOf(gate(0) + peephole(4, k, cs[k]));
        const Moving f =
            SigmoidOf(gate(attrs.f_gate) + Moving{attrs.forget_bias, 0, 0} + peephole(5, k, cs[k]));
        Moving state = TanhOf(gate(attrs.c_gate)) * i + cs[k] * f;
        if (attrs.cell_clip > 0) {  // it moves on as if it were not clipped
          state.value = std::fmin(std::fmax(state.value, -attrs.cell_clip), attrs.cell_clip);
        }
        const Moving o = SigmoidOf(gate(3) + peephole(6, k, state));
        next_cs.push_back(state);
        next_h.push_back(TanhOf(state) * o);
        all_cs[(t * batch + row) * cells + k] = next_cs.back();
        all_h[(t * batch + row) * cells + k] = next_h.back();
      }
      cs = next_cs;
      h = next_h;
    }
  }
  return {{1, all_cs}, {6, all_h}};
}

Status LstmPartials(FiringPartials& firing) {
  TAGFLOW_RETURN_IF_ERROR(RequireOnly(firing, 1, 6));
  const std::string& op = firing.node().op;
  const size_t first = op.starts_with("Block") ? 1 : 0;
  LstmAttrs attrs;
  TAGFLOW_ASSIGN_OR_RETURN(attrs.has_peepholes, BoolAttr(firing.node(), "use_peephole"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.cell_clip, FloatAttr(firing.node(), "cell_clip"));
  if (op.ends_with("V2")) {
    std::swap(attrs.c_gate, attrs.f_gate);
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(attrs.forget_bias, FloatAttr(firing.node(), "forget_bias"));
  }
  if (first == 1) attrs.steps = static_cast<size_t>(ToIntegers(firing.input(0))[0]);
  const auto batch = static_cast<size_t>(firing.input(first + 1).dims()[0]);
  const auto elements = static_cast<size_t>(firing.output(6).num_elements());
  if (elements == 0) return Status();
  AddByEach(firing, [&](const std::vector<Movings>& inputs) {
    return Lstm(attrs, batch, inputs.data() + first, elements);
  });
  return Status();
}

// inputs: x, h_prev, w_ru, w_c, b_ru, b_c
Outputs Gru(size_t batch, const std::vector<Movings>& inputs) {
  const size_t cells = inputs[5].size();
  Movings all_h;
  for (size_t row = 0; row < batch; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(row * cells);
    const Movings h(inputs[1].begin() + first,
                    inputs[1].begin() + first + static_cast<std::ptrdiff_t>(cells));
    const auto gate = [&](size_t column) {
      return SigmoidOf(Gate(inputs[0], h, inputs[2], inputs[4], row, column));
    };
    Movings remembered;
    for (size_t k = 0; k < cells; ++k) remembered.push_back(gate(k) * h[k]);
    for (size_t k = 0; k < cells; ++k) {
      const Moving u = gate(cells + k);
      const Moving c = TanhOf(Gate(inputs[0], remembered, inputs[3], inputs[5], row, k));
      all_h.push_back(u * h[k] + OneMinus(u) * c);
    }
  }
  return {{3, all_h}};
}

Status GruPartials(FiringPartials& firing) {
  TAGFLOW_RETURN_IF_ERROR(RequireOnly(firing, 3, 3));
  if (firing.output(3).num_elements() == 0) return Status();
  const auto batch = static_cast<size_t>(firing.input(0).dims()[0]);
  AddByEach(firing, [&](const std::vector<Movings>& inputs) { return Gru(batch, inputs); });
  return Status();
}

Status NoSecondDerivative(FiringPartials& firing) {
  return Unimplemented("a derivative of " + firing.node().op);
}

}  // namespace

void AddSequenceAdjoints(AdjointTable& table) {
  for (const char* op : {"BlockLSTM", "BlockLSTMV2", "LSTMBlockCell"}) table.Set(op, LstmPartials);
  table.Set("GRUBlockCell", GruPartials);
  for (const char* op :
       {"BlockLSTMGrad", "BlockLSTMGradV2", "LSTMBlockCellGrad", "GRUBlockCellGrad"}) {
    table.Set(op, NoSecondDerivative);
  }
  table.Set("CTCLoss", CtcLoss);
  table.Stop("CTCBeamSearchDecoder");
  table.Stop("CTCGreedyDecoder");
  table.Stop("EditDistance");
}

}  // namespace tagflow::reference
