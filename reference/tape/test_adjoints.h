#ifndef TAGFLOW_REFERENCE_TAPE_TEST_ADJOINTS_H_
#define TAGFLOW_REFERENCE_TAPE_TEST_ADJOINTS_H_

// Derivatives held against what the op itself does when an input moves a little.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "graph/op_def.h"
#include "reference/kernels/op_runner.h"
#include "reference/tape/adjoint.h"

namespace tagflow::reference {

inline std::mt19937 random_bits(20);  // NOLINT: one sequence for the whole test

inline Tensor Doubles(Dims dims, double least, double most) {
  std::uniform_real_distribution<double> draw(least, most);
  std::vector<double> values(static_cast<size_t>(*NumElements(dims)));
  for (double& value : values) value = draw(random_bits);
  return Tensor::Of<double>(dims, values);
}

inline bool IsReal(const Tensor& tensor) { return tensor.dtype() == DType::kDouble; }

// Floats, of ops that take no doubles, move by steps that their rounding does not drown.
struct Steps {
  double size;
  double error;  // of a derivative, for each unit of its magnitude
};
inline Steps StepsFor(DType dtype) {
  return dtype == DType::kFloat ? Steps{1.0 / 128, 2e-3} : Steps{1e-5, 1e-6};
}
inline void Move(Tensor& tensor, size_t i, double by) {
  if (tensor.dtype() == DType::kFloat) {
    tensor.mutable_data<float>()[i] += static_cast<float>(by);
  } else {
    tensor.mutable_data<double>()[i] += by;
  }
}

// A firing of one op, and how its outputs are weighed into the one number that is differentiated.
struct Firing {
  std::string op;
  std::vector<Tensor> inputs;
  AttrMap attrs;
  Node node;
  std::vector<Tensor> outputs;
  std::vector<std::vector<double>> weights;

  std::vector<Tensor> Run() const {
    OpRunner runner;
    const auto outputs =
        runner.Run(op, std::vector<OpRunner::Input>(inputs.begin(), inputs.end()), attrs);
    EXPECT_TRUE(outputs.ok()) << op << ": " << outputs.status().ToString();
    return outputs.ok() ? outputs->tensors : std::vector<Tensor>();
  }
  double Weighed() const {
    double sum = 0;
    const std::vector<Tensor> now = Run();
    for (size_t k = 0; k < now.size(); ++k) {
      const std::vector<double> values = ToDoubles(now[k]);
      // The extreme of nothing is a huge number, which would swallow the others.
      for (size_t i = 0; i < values.size(); ++i) {
        if (std::abs(values[i]) < 1e300) sum += weights[k][i] * values[i];
      }
    }
    return sum;
  }
  double FiniteDifference(size_t slot, size_t i) {
    const Tensor before = inputs[slot];
    Tensor moved = *before.Clone();
    const double h = StepsFor(before.dtype()).size;
    Move(moved, i, h);
    inputs[slot] = *moved.Clone();
    const double above = Weighed();
    Move(moved, i, -2 * h);
    inputs[slot] = moved;
    const double below = Weighed();
    inputs[slot] = before;
    return (above - below) / (2 * h);
  }
};

inline Firing Fire(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs) {
  std::sort(attrs.begin(), attrs.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Firing firing{op, std::move(inputs), std::move(attrs), {}, {}, {}};
  firing.node.name = "node";
  firing.node.op = op;
  firing.node.def = OpRegistry::Standard().Find(op);
  firing.node.attrs = firing.attrs;
  firing.outputs = firing.Run();
  for (const Tensor& output : firing.outputs) {
    firing.weights.push_back(ToDoubles(Doubles({output.num_elements()}, 0.5, 2)));
  }
  return firing;
}

// By the inputs that `moves` names; none: all of doubles.
inline std::vector<Adjoint> Adjoints(Firing& firing, const AdjointTable& table,
                                     const std::function<bool(size_t slot)>& moves = nullptr) {
  std::vector<Adjoint> from(firing.outputs.size()), to(firing.inputs.size());
  std::vector<const Adjoint*> from_pointers;
  std::vector<Adjoint*> to_pointers;
  for (size_t k = 0; k < from.size(); ++k) {
    from[k].gradient = firing.weights[k];
    from[k].magnitude = firing.weights[k];
    const bool is_used = std::ranges::any_of(firing.weights[k], [](double x) { return x != 0; });
    from_pointers.push_back(is_used ? &from[k] : nullptr);
  }
  for (size_t slot = 0; slot < to.size(); ++slot) {
    to[slot].Reach(firing.inputs[slot].num_elements());
    const bool does = moves ? moves(slot) : IsReal(firing.inputs[slot]);
    to_pointers.push_back(does ? &to[slot] : nullptr);
  }
  const AdjointFunction* function = table.Find(firing.op);
  EXPECT_TRUE(function != nullptr && *function != nullptr) << firing.op;
  FiringPartials partials(firing.node, firing.inputs, firing.outputs, from_pointers, to_pointers);
  EXPECT_TRUE((*function)(partials).ok()) << firing.op;
  return to;
}

// How many derivatives, by the inputs that `moves` names, differ from the finite differences;
// those of the outputs in `unused` are not asked for.
inline int WrongBy(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs,
                   const std::function<bool(size_t slot)>& moves,
                   const AdjointTable& table = AdjointTable::Standard(),
                   const std::vector<size_t>& unused = {}) {
  Firing firing = Fire(op, std::move(inputs), std::move(attrs));
  if (firing.outputs.empty()) return 1;
  for (const size_t port : unused) std::ranges::fill(firing.weights[port], 0);
  const std::vector<Adjoint> adjoints = Adjoints(firing, table, moves);
  int wrong = 0;
  for (size_t slot = 0; slot < firing.inputs.size(); ++slot) {
    if (!moves(slot)) continue;
    for (size_t i = 0; i < adjoints[slot].gradient.size(); ++i) {
      const double expected = firing.FiniteDifference(slot, i);
      const double error = StepsFor(firing.inputs[slot].dtype()).error;
      const double bound = error * (1 + adjoints[slot].magnitude[i]);
      EXPECT_GE(adjoints[slot].magnitude[i] * (1 + 1e-12), std::abs(adjoints[slot].gradient[i]));
      if (!(std::abs(adjoints[slot].gradient[i] - expected) <= bound)) ++wrong;
    }
  }
  return wrong;
}

// By all inputs of doubles.
inline int Wrong(const std::string& op, const std::vector<Tensor>& inputs, AttrMap attrs = {},
                 const AdjointTable& table = AdjointTable::Standard()) {
  return WrongBy(
      op, inputs, std::move(attrs), [&](size_t slot) { return IsReal(inputs[slot]); }, table);
}

inline Tensor IntTensor(const std::vector<int32_t>& values) { return Tensor::Vector(values); }

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_TEST_ADJOINTS_H_
