#ifndef TAGFLOW_CONFORMANCE_GPU_TRAINING_CALLS_H_
#define TAGFLOW_CONFORMANCE_GPU_TRAINING_CALLS_H_

// For tests of GPU kernels' bodies on the host: calls of training steps, of whole variables and of
// rows of them.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "conformance/gpu/against_reference.h"
#include "conformance/gpu/reference_variables.h"
#include "graph/op_def.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"

namespace tagflow::conformance {

// What a step is given. The first inputs are what its variables hold; all are numbered as in the
// op for whole variables.
struct TrainingCall {
  std::string op;
  optimized::training::Form form;
  std::vector<Tensor> inputs;
  Tensor rows;  // that the gradient's go to; no value: it is for whole variables
  bool flag = false;
  bool is_one_variable = false;  // given as each of the slots

  size_t slots() const { return static_cast<size_t>(form.slots); }
  size_t SlotOf(size_t k) const { return is_one_variable ? 0 : k; }
  const Tensor& gradient() const { return inputs[static_cast<size_t>(form.gradient)]; }
};

// Calls check() for the call with its flag and without, and with variables apart and as one.
template <typename Check>
void ForEachForm(TrainingCall& call, const Check& check) {
  for (const bool flag : {false, true}) {
    for (const bool is_one_variable : {false, true}) {
      call.flag = flag;
      call.is_one_variable = is_one_variable;
      check();
    }
  }
}

// What the variables of the slots hold afterwards, in the reference.
inline Result<std::vector<Tensor>> ReferenceTrains(const TrainingCall& call) {
  AttrMap attrs;
  if (*call.form.flag != '\0') attrs.push_back({call.form.flag, call.flag});
  VariableCall made = {call.op, attrs, call.slots(), call.inputs, call.is_one_variable};
  if (call.rows.has_value()) {
    made.inputs.insert(made.inputs.begin() + call.form.gradient + 1, call.rows);
  }
  return ReferenceLeaves(made);
}

// Where the scalars are, and a gradient that is one.
enum class Scalars { kOnHost, kInMemory };

// The step changes `slots`.
inline optimized::TrainingArgs ArgsOf(const TrainingCall& call, Scalars where,
                                      std::vector<Tensor>& slots) {
  const auto place = [where](const Tensor& input, char* value) {
    return where == Scalars::kInMemory ? input.raw_data() : optimized::PlaceOnHost(input, value);
  };
  optimized::TrainingArgs args = {};
  for (size_t k = 0; k < call.slots(); ++k)
    args.slots[k] = slots[call.SlotOf(k)].mutable_raw_data();
  for (int i = call.form.slots; i < static_cast<int>(call.inputs.size()); ++i) {
    if (i == call.form.gradient) continue;
    args.scalars[i] = place(call.inputs[static_cast<size_t>(i)], args.scalar_values[i]);
  }
  args.gradient = place(call.gradient(), args.gradient_value);
  args.count = call.gradient().num_elements();
  args.flag = call.flag;
  return args;
}

inline std::vector<Tensor> CopiesOfSlots(const TrainingCall& call) {
  std::vector<Tensor> slots;
  for (size_t k = 0; k < call.slots(); ++k) slots.push_back(CopyOf(call.inputs[call.SlotOf(k)]));
  return slots;
}

// Empty: each slot holds what is wanted.
inline std::string DifferenceOfSlots(const TrainingCall& call, const std::vector<Tensor>& wanted,
                                     const std::vector<Tensor>& slots) {
  for (size_t k = 0; k < call.slots(); ++k) {
    std::string difference = Difference(wanted[k], slots[call.SlotOf(k)], {});
    if (!difference.empty()) return "slot " + std::to_string(k) + ": " + difference;
  }
  return "";
}

// Draws numbers, some of them corners of the dtype.
template <typename C>
class Draws {
 public:
  Tensor New(const Dims& dims) {
    Tensor tensor = *Tensor::Allocate(DTypeOf<C>::value, dims);
    for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.mutable_data<C>()[i] = Number(4);
    return tensor;
  }
  // Of which most are such as people train with.
  Tensor Scalar() { return Tensor::Scalar<C>(std::abs(Number(8))); }
  // A half and its negative are exponents with a code of their own.
  Tensor Exponent() { return OneIn(2) ? Tensor::Scalar<C>(C(-0.5)) : Tensor::Scalar<C>(Number(8)); }
  Tensor StepNumber() {
    constexpr int64_t kNoFloat = (int64_t{1} << 24) + 1;
    return Tensor::Scalar<int64_t>(OneIn(2) ? kNoFloat : Below(1000));
  }
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(limit));
  }
  bool OneIn(int64_t n) { return Below(n) == 0; }

 private:
  C Number(int64_t one_corner_in) {
    static const std::vector<C> corners = optimized::Corners<C>();
    if (OneIn(one_corner_in)) return corners[random_() % corners.size()];
    return static_cast<C>(Below(2001)) / C(1000) - C(1);
  }
  std::mt19937_64 random_;
};

// A call of that op, or of the one for rows where there are some.
//   variables, gradient: their dims
template <typename C>
TrainingCall DrawCall(const std::string& op, const optimized::training::Form& form,
                      const Dims& variables, const Dims& gradient, Draws<C>& draws) {
  TrainingCall call = {op, form, {}, {}};
  for (const ArgDef& input : OpRegistry::Standard().Find(op)->inputs) {
    if (input.name == "indices") continue;
    const auto i = static_cast<int>(call.inputs.size());
    if (i < form.slots) {
      call.inputs.push_back(draws.New(variables));
    } else if (i == form.gradient) {
      call.inputs.push_back(draws.New(gradient));
    } else if (input.name == "global_step") {
      call.inputs.push_back(draws.StepNumber());
    } else {
      call.inputs.push_back(input.name == "lr_power" ? draws.Exponent() : draws.Scalar());
    }
  }
  return call;
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_GPU_TRAINING_CALLS_H_
