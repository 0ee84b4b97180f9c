#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_TRAINING_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_TRAINING_BODIES_H_

// Training steps, by the formulas of the host's (optimized/formulas/training.h): what becomes of
// one element of each variable. A thread reads that element of all of them before it writes any, in
// the order of the inputs; so of two inputs that are one variable, the later is what it becomes, by
// what it was before.
//
// The scalars of a step may be on the GPU, where threads look at them.
//
// Tested by conformance/gpu/host_training_test.cc.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "graph/dtype.h"
#include "optimized/devices/fault_place.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/elementwise_bodies.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/training.h"
#include "optimized/formulas/training_pulls.h"

namespace tagflow::optimized {

// Inputs are numbered as the op has them. A scalar, or a gradient without dimensions, is in memory,
// or the host has it: then its pointer is null.
struct TrainingArgs {
  void* slots[training::kSlotsMax];
  const void* gradient;
  const void* scalars[training::kInputsMax];
  alignas(8) char gradient_value[8];
  alignas(8) char scalar_values[training::kInputsMax][8];
  int64_t count;
  bool flag;
  FaultPlace fault;  // of a formula that refuses scalars, where one of them is in memory
};

template <typename T>
TAGFLOW_ANYWHERE T ScalarAt(const void* place, const char* value) {
  return place != nullptr ? *static_cast<const T*>(place) : *reinterpret_cast<const T*>(value);
}
// Scalar k of a formula's.
template <typename Formula, typename C>
TAGFLOW_ANYWHERE C TrainingScalar(const TrainingArgs& args, int k) {
  if constexpr (requires { Formula::kStepNumber; }) {
    if (k == Formula::kStepNumber) {
      return training::OfStepNumber<C>(ScalarAt<int64_t>(args.scalars[k], args.scalar_values[k]));
    }
  }
  return ScalarAt<C>(args.scalars[k], args.scalar_values[k]);
}
template <typename Formula, typename C>
TAGFLOW_ANYWHERE void FindScalars(const TrainingArgs& args, training::Scalars<C>& scalars) {
  for (int k = 0; k < training::kInputsMax; ++k) scalars[k] = TrainingScalar<Formula, C>(args, k);
}

template <typename Formula, typename C>
concept RefusesScalars = requires(const training::Scalars<C>& scalars) {
  Formula::Refuses(scalars, true);
};
// What the formula refuses of the scalars that the host has; null: nothing. No formula refuses 1,
// which is in the place of the others.
template <typename Formula, typename C>
const char* RefusalOnHost(const TrainingArgs& args) {
  if constexpr (RefusesScalars<Formula, C>) {
    training::Scalars<C> scalars;
    for (int k = 0; k < training::kInputsMax; ++k) {
      scalars[k] = args.scalars[k] != nullptr ? C(1) : TrainingScalar<Formula, C>(args, k);
    }
    return Formula::Refuses(scalars, args.flag);
  }
  return nullptr;
}

template <typename Formula, typename C>
struct TrainingBody {
  explicit TrainingBody(const TrainingArgs& of) : args(of) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    training::Scalars<C> scalars;
    FindScalars<Formula>(args, scalars);
    if constexpr (RefusesScalars<Formula, C>) {
      if (Formula::Refuses(scalars, args.flag) != nullptr) return args.fault.Note(i);
    }
    Change(i, Formula::With(scalars, args.flag), std::make_index_sequence<Formula::kForm.slots>());
  }

 private:
  template <typename Step, size_t... k>
  TAGFLOW_ANYWHERE void Change(int64_t i, const Step& step, std::index_sequence<k...>) const {
    const C gradient = args.gradient != nullptr ? static_cast<const C*>(args.gradient)[i]
                                                : *reinterpret_cast<const C*>(args.gradient_value);
    C values[] = {static_cast<const C*>(args.slots[k])[i]...};
    step(gradient, values[k]...);
    ((static_cast<C*>(args.slots[k])[i] = values[k]), ...);
  }

  TrainingArgs args;
};

// Calls visit.template operator()<Formula, C>(name, dtype) for the ops ApplyNAME and
// ResourceApplyNAME.
template <typename Visit>
void ForEachTraining(const Visit& visit) {
  VisitFloats<training::GradientDescent>("GradientDescent", visit);
  VisitFloats<training::Momentum>("Momentum", visit);
  VisitFloats<training::KerasMomentum>("KerasMomentum", visit);
  VisitFloats<training::Adam>("Adam", visit);
  VisitFloats<training::AdamWithAmsgrad>("AdamWithAmsgrad", visit);
  VisitFloats<training::Adagrad>("Adagrad", visit);
  VisitFloats<training::AdagradV2>("AdagradV2", visit);
  VisitFloats<training::AdagradDA>("AdagradDA", visit);
  VisitFloats<training::RmsProp>("RMSProp", visit);
  VisitFloats<training::CenteredRmsProp>("CenteredRMSProp", visit);
  VisitFloats<training::Adadelta>("Adadelta", visit);
  VisitFloats<training::AdaMax>("AdaMax", visit);
  VisitFloats<training::BySign<training::SignSum>>("AddSign", visit);
  VisitFloats<training::BySign<training::SignPower>>("PowerSign", visit);
  VisitFloats<training::Ftrl<false>>("Ftrl", visit);
  VisitFloats<training::Ftrl<true>>("FtrlV2", visit);
  VisitFloats<training::ProximalGradientDescent>("ProximalGradientDescent", visit);
  VisitFloats<training::ProximalAdagrad>("ProximalAdagrad", visit);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_TRAINING_BODIES_H_
