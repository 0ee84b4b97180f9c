#ifndef TAGFLOW_REFERENCE_TAPE_ADJOINT_H_
#define TAGFLOW_REFERENCE_TAPE_ADJOINT_H_

// What the derivative of an op is, written from calculus: a function that names every partial
// derivative of one firing that is not zero, one number at a time. What to do with them is the
// caller's business, so one function serves the gradient and the bound of its rounding.
//
// Nothing here knows of tags, frames, deadness or resources, or of the gradients of
// transform/gradients, which it is an oracle for.

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::reference {

// The elements of a tensor of real numbers (floats, integers, bool), exactly.
// REQUIRES: a tensor of such a dtype
std::vector<double> ToDoubles(const Tensor& tensor);
std::vector<int64_t> ToIntegers(const Tensor& tensor);  // REQUIRES: integers

// The derivative of a scalar by each element of a tensor, and per element the sum of the magnitudes
// of all terms that were added up on the way: rounding moves the gradient by a few eps of it.
struct Adjoint {
  std::vector<double> gradient;
  std::vector<double> magnitude;

  bool reached = false;  // whether any derivative led here, be it 0

  // Zeros, if there is nothing yet.
  void Reach(int64_t elements) {
    gradient.resize(static_cast<size_t>(elements));
    magnitude.resize(static_cast<size_t>(elements));
    reached = true;
  }
  void Add(size_t element, double gradient_term, double magnitude_term) {
    gradient[element] += gradient_term;
    magnitude[element] += magnitude_term;
  }
};

// One firing, to be differentiated.
class FiringPartials {
 public:
  // from: per output its adjoint, null where nothing depends on it. to: per input the adjoint to
  // add to, null where nobody asks. Tensors of outputs and inputs that are null may have no value.
  FiringPartials(const Node& node, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                 std::vector<const Adjoint*> from, std::vector<Adjoint*> to)
      : node_(node),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        from_(std::move(from)),
        to_(std::move(to)) {}

  const Node& node() const { return node_; }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return outputs_.size(); }
  const Tensor& input(size_t slot) const { return inputs_[slot]; }
  const Tensor& output(size_t port) const { return outputs_[port]; }
  // Whether anything depends on this output; whether anybody asks for this input.
  bool flows_from(size_t port) const { return from_[port] != nullptr; }
  bool flows_to(size_t slot) const { return to_[slot] != nullptr; }

  // Element `o` of output `port` changes by `partial` times what element `i` of input `slot` does.
  // Several terms for one pair add up. An element that nothing depends on passes nothing on, even
  // where `partial` is infinite.
  // `magnitude`: of the terms that `partial` is the sum of, where these may cancel out.
  void Add(size_t port, size_t o, size_t slot, size_t i, double partial) {
    Add(port, o, slot, i, partial, std::abs(partial));
  }
  void Add(size_t port, size_t o, size_t slot, size_t i, double partial, double magnitude) {
    const Adjoint* from = from_[port];
    Adjoint* to = to_[slot];
    if (from == nullptr || to == nullptr || from->magnitude[o] == 0) return;
    to->Add(i, partial * from->gradient[o], magnitude * from->magnitude[o]);
  }

 private:
  const Node& node_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<const Adjoint*> from_;
  std::vector<Adjoint*> to_;
};

using AdjointFunction = std::function<Status(FiringPartials&)>;

// From op to derivative. Built by explicit calls, then read-only.
class AdjointTable {
 public:
  // Replaces what was there: tests put wrong ones in.
  void Set(std::string_view op, AdjointFunction function) {
    functions_[std::string(op)] = std::move(function);
  }
  // No gradient goes through this op: it is constant almost everywhere, or asked to stop it.
  void Stop(std::string_view op) { functions_[std::string(op)] = nullptr; }
  // Null: unknown. A null function: the op stops gradients.
  const AdjointFunction* Find(std::string_view op) const {
    const auto found = functions_.find(std::string(op));
    return found == functions_.end() ? nullptr : &found->second;
  }

  // Every op of the reference with real derivatives, made on first use.
  static const AdjointTable& Standard();

 private:
  std::unordered_map<std::string, AdjointFunction> functions_;
};

// The families, one file each.
void AddActivationAdjoints(AdjointTable& table);
void AddConvolutionAdjoints(AdjointTable& table);
void AddDecompositionAdjoints(AdjointTable& table);
void AddDiagonalAdjoints(AdjointTable& table);
void AddEinsumAdjoints(AdjointTable& table);
void AddImageAdjoints(AdjointTable& table);
void AddLinalgAdjoints(AdjointTable& table);
void AddMathAdjoints(AdjointTable& table);
void AddNormalizationAdjoints(AdjointTable& table);
void AddPoolingAdjoints(AdjointTable& table);
void AddQuantizationAdjoints(AdjointTable& table);
void AddRandomAdjoints(AdjointTable& table);
void AddSegmentAdjoints(AdjointTable& table);
void AddSoftmaxAdjoints(AdjointTable& table);
void AddSequenceAdjoints(AdjointTable& table);
void AddSparseAdjoints(AdjointTable& table);
void AddSpecialAdjoints(AdjointTable& table);
void AddRaggedAdjoints(AdjointTable& table);
void AddReductionAdjoints(AdjointTable& table);
void AddMatrixAdjoints(AdjointTable& table);
void AddArrayAdjoints(AdjointTable& table);
void AddSliceAdjoints(AdjointTable& table);
void AddRearrangingAdjoints(AdjointTable& table);
void AddScatterAdjoints(AdjointTable& table);
void AddControlAdjoints(AdjointTable& table);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_ADJOINT_H_
