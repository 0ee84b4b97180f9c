// The GPU's training steps, run on the host: each body over all of its indices, against the
// reference. Both compute by the same operations and the same library, so they give the same bits.
// Tests: training_bodies.h

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "conformance/gpu/against_reference.h"
#include "conformance/ops/op_runner.h"
#include "graph/op_def.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"

namespace tagflow::optimized {
namespace {

using conformance::Difference;
using conformance::OpRunner;

// What a step is given. The first inputs are what its variables hold.
struct TrainingCall {
  std::string name;
  training::Form form;
  std::vector<Tensor> inputs;
  bool flag;
  bool is_one_variable;  // given as each of the slots
};

size_t SlotOf(const TrainingCall& call, int k) {
  return static_cast<size_t>(call.is_one_variable ? 0 : k);
}

// What the variables of the slots hold afterwards, in the reference.
Result<std::vector<Tensor>> ReferenceTrains(const TrainingCall& call) {
  const auto runner = conformance::ReferenceOps().make();
  const AttrMap dtype = {{"dtype", call.inputs[0].dtype()}};
  std::vector<OpRunner::Value> values;
  for (const Tensor& input : call.inputs) values.push_back({input, nullptr});
  for (int k = 0; k < call.form.slots; ++k) {
    AttrMap attrs = dtype;
    attrs.push_back({"shape", PartialShape()});
    attrs.push_back({"shared_name", "slot" + std::to_string(SlotOf(call, k))});
    TAGFLOW_ASSIGN_OR_RETURN(auto handle, runner->Run("VarHandleOp", {}, attrs));
    const Tensor& value = call.inputs[SlotOf(call, k)];
    TAGFLOW_RETURN_IF_ERROR(
        runner->Run("AssignVariableOp", {handle[0], {value, nullptr}}, dtype).status());
    values[static_cast<size_t>(k)] = handle[0];
  }
  AttrMap attrs;
  if (*call.form.flag != '\0') attrs.push_back({call.form.flag, call.flag});
  TAGFLOW_RETURN_IF_ERROR(runner->Run("ResourceApply" + call.name, values, attrs).status());
  std::vector<Tensor> held;
  for (int k = 0; k < call.form.slots; ++k) {
    TAGFLOW_ASSIGN_OR_RETURN(
        auto read, runner->Run("ReadVariableOp", {values[static_cast<size_t>(k)]}, dtype));
    held.push_back(read[0].tensor);
  }
  return held;
}

// Where the scalars are, and a gradient that is one.
enum class Scalars { kOnHost, kInMemory };

// The step changes `slots`.
TrainingArgs ArgsOf(const TrainingCall& call, Scalars where, std::vector<Tensor>& slots) {
  const auto place = [where](const Tensor& input, char* value) {
    return where == Scalars::kInMemory ? input.raw_data() : PlaceOnHost(input, value);
  };
  TrainingArgs args = {};
  for (int k = 0; k < call.form.slots; ++k) {
    args.slots[k] = slots[SlotOf(call, k)].mutable_raw_data();
  }
  for (int i = call.form.slots; i < static_cast<int>(call.inputs.size()); ++i) {
    if (i == call.form.gradient) continue;
    args.scalars[i] = place(call.inputs[static_cast<size_t>(i)], args.scalar_values[i]);
  }
  const Tensor& gradient = call.inputs[static_cast<size_t>(call.form.gradient)];
  args.gradient = place(gradient, args.gradient_value);
  args.count = gradient.num_elements();
  args.flag = call.flag;
  return args;
}

std::vector<Tensor> CopiesOfSlots(const TrainingCall& call) {
  std::vector<Tensor> slots;
  for (int k = 0; k < call.form.slots; ++k) {
    const Tensor& value = call.inputs[static_cast<size_t>(k)];
    slots.push_back(*Tensor::Allocate(value.dtype(), value.dims()));
    std::memcpy(slots.back().mutable_raw_data(), value.raw_data(),
                static_cast<size_t>(value.num_elements()) * DTypeSize(value.dtype()));
  }
  return slots;
}

// Empty: each slot holds what is wanted.
std::string DifferenceOfSlots(const TrainingCall& call, const std::vector<Tensor>& wanted,
                              const std::vector<Tensor>& slots) {
  for (int k = 0; k < call.form.slots; ++k) {
    std::string difference = Difference(wanted[static_cast<size_t>(k)], slots[SlotOf(call, k)], {});
    if (!difference.empty()) return "slot " + std::to_string(k) + ": " + difference;
  }
  return "";
}

template <typename Formula, typename C>
void Check(const TrainingCall& call, Scalars where) {
  std::vector<Tensor> slots = CopiesOfSlots(call);
  TrainingArgs args = ArgsOf(call, where, slots);
  uint64_t noted = FaultPlace::kNone;
  args.fault = {&noted, 0};
  OnHost(TrainingBody<Formula, C>(args), args.count);
  const Result<std::vector<Tensor>> wanted = ReferenceTrains(call);
  const char* const refusal = RefusalOnHost<Formula, C>(args);
  if (wanted.ok()) {
    EXPECT_EQ(noted, FaultPlace::kNone);
    EXPECT_EQ(refusal, nullptr);
    EXPECT_EQ(DifferenceOfSlots(call, *wanted, slots), "");
    return;
  }
  EXPECT_EQ(noted, args.count == 0 ? FaultPlace::kNone : 0);
  EXPECT_EQ(DifferenceOfSlots(call, CopiesOfSlots(call), slots), "");
  const std::string message(wanted.status().message());
  EXPECT_STREQ(refusal, where == Scalars::kOnHost ? message.c_str() : nullptr);
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
    return Tensor::Scalar<int64_t>(OneIn(2) ? kNoFloat : static_cast<int64_t>(random_() % 1000));
  }
  bool OneIn(uint64_t n) { return random_() % n == 0; }

 private:
  C Number(uint64_t one_corner_in) {
    static const std::vector<C> corners = Corners<C>();
    if (OneIn(one_corner_in)) return corners[random_() % corners.size()];
    return static_cast<C>(random_() % 2001) / C(1000) - C(1);
  }
  std::mt19937_64 random_;
};

template <typename C>
Tensor DrawInput(const TrainingCall& call, int i, const std::string& input, const Dims& dims,
                 Draws<C>& draws) {
  if (i < call.form.slots || i == call.form.gradient) return draws.New(dims);
  if (input == "global_step") return draws.StepNumber();
  return input == "lr_power" ? draws.Exponent() : draws.Scalar();
}

struct ChecksTraining {
  template <typename Formula, typename C>
  void operator()(const char* name, DType) const {
    SCOPED_TRACE(name);
    Draws<C> draws;
    for (const Dims& dims : {Dims{}, Dims{1}, Dims{7}, Dims{3, 5}, Dims{2, 0}, Dims{41, 2, 3}}) {
      constexpr int kRounds = 8;
      for (int round = 0; round < kRounds; ++round) CheckCalls<Formula, C>(name, dims, draws);
    }
    ++*kernels;
  }
  template <typename Formula, typename C>
  static void CheckCalls(const char* name, const Dims& dims, Draws<C>& draws) {
    TrainingCall call = {name, Formula::kForm, {}, false, false};
    const OpDef& op = *OpRegistry::Standard().Find("ResourceApply" + call.name);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      call.inputs.push_back(DrawInput(call, static_cast<int>(i), op.inputs[i].name, dims, draws));
    }
    for (const bool flag : {false, true}) {
      for (const bool is_one_variable : {false, true}) {
        call.flag = flag;
        call.is_one_variable = is_one_variable;
        Check<Formula, C>(call, Scalars::kOnHost);
        Check<Formula, C>(call, Scalars::kInMemory);
      }
    }
  }
  int* kernels;
};

TEST(HostTraining, GivesWhatTheReferenceGives) {
  int kernels = 0;
  ForEachTraining(ChecksTraining{&kernels});
  EXPECT_EQ(kernels, 2 * 18);
}

// As ResourceApplyProximalAdagrad(var, accum, lr, l1, l2, grad), whose lr is in memory.
TEST(HostTraining, NotesARefusedScalarThatTheHostDoesNotKnow) {
  float variable = 1, sum = 1;
  const float lr = 0, l2 = -1;
  uint64_t noted = FaultPlace::kNone;
  TrainingArgs args = {};
  args.slots[0] = &variable;
  args.slots[1] = &sum;
  args.scalars[2] = &lr;
  args.count = 1;
  args.fault = {&noted, 3};
  EXPECT_EQ((RefusalOnHost<training::ProximalAdagrad, float>(args)), nullptr);
  OnHost(TrainingBody<training::ProximalAdagrad, float>(args), args.count);
  EXPECT_EQ(noted, uint64_t{3} << FaultPlace::kIndexBits);
  EXPECT_EQ(variable, 1);
  EXPECT_EQ(sum, 1);
  std::memcpy(args.scalar_values[4], &l2, sizeof(l2));
  EXPECT_STREQ((RefusalOnHost<training::ProximalAdagrad, float>(args)),
               "l1 and l2 must not be negative");
}

}  // namespace
}  // namespace tagflow::optimized
