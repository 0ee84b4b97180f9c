#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_TRAINING_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_TRAINING_BODIES_H_

// Training steps of rows of variables: of each row that the gradient has rows for, by one after the
// other of these as on the host (kernels/training.cc). A thread reads an element of all variables,
// takes it through all steps, and writes it, in the order of the inputs; so of two inputs that are
// one variable, the later is what it becomes, as if each had been trained alone.
//
// Nothing is written where this kernel, or one before it in the step, has noted that it fails
// ([device.1]): the passes before the last one look at all rows, and at the scalars.
//
// Costs: those of row_update_bodies.h.
//
// Tested by conformance/gpu/host_row_training_test.cc.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/passes.h"
#include "optimized/devices/gpu/kernels/row_links.h"
#include "optimized/devices/gpu/kernels/row_update_bodies.h"
#include "optimized/devices/gpu/kernels/training_bodies.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/training.h"
#include "optimized/formulas/training_pulls.h"

namespace tagflow::optimized {

// Of the inputs, numbered as in the op for whole variables, the gradient is [links.count, size];
// the count is not used.
struct RowTrainingArgs {
  TrainingArgs training;
  bool knows_scalars;  // the host, all of them, and refuses none
  int64_t size;        // of a row
  RowLinks links;      // with the same fault
};

// A formula as it is for rows, of which it may refuse more scalars.
template <typename Formula>
struct OfRows : Formula {};
template <typename Formula>
requires requires(const training::Scalars<float>& scalars) { Formula::RefusesRows(scalars, true); }
struct OfRows<Formula> : Formula {
  template <typename C>
  TAGFLOW_ANYWHERE static const char* Refuses(const training::Scalars<C>& of, bool flag) {
    return Formula::RefusesRows(of, flag);
  }
};

template <typename Formula, typename C>
struct NoteRefusedScalars {
  explicit NoteRefusedScalars(const RowTrainingArgs& of) : args(of.training) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    training::Scalars<C> scalars;
    FindScalars<Formula>(args, scalars);
    if (Formula::Refuses(scalars, args.flag) != nullptr) args.fault.Note(i);
  }
  TrainingArgs args;
};

template <typename Formula, typename C>
struct RowTrainingBody {
  explicit RowTrainingBody(const RowTrainingArgs& of)
      : args(of.training), size(of.size), links(of.links) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    if (args.fault.IsAnyNoted()) return;
    const RowElement at(links, size, i);
    if (!at.is_mine) return;
    training::Scalars<C> scalars;
    FindScalars<Formula>(args, scalars);
    Change(at, Formula::With(scalars, args.flag), std::make_index_sequence<Formula::kForm.slots>());
  }

 private:
  template <typename Step, size_t... k>
  TAGFLOW_ANYWHERE void Change(const RowElement& at, const Step& step,
                               std::index_sequence<k...>) const {
    const auto* const gradient = static_cast<const C*>(args.gradient);
    const int64_t element = at.row * size + at.column;
    C values[] = {static_cast<const C*>(args.slots[k])[element]...};
    for (int64_t from = at.from; from != RowLinks::kNone; from = links.next[from]) {
      step(gradient[from * size + at.column], values[k]...);
    }
    ((static_cast<C*>(args.slots[k])[element] = values[k]), ...);
  }

  TrainingArgs args;
  int64_t size;
  RowLinks links;
};

template <typename Formula, typename C>
struct RowTrainingPasses {
  template <typename Run>
  static auto RunAll(const RowTrainingArgs& args, const Run& run) {
    const auto link = [&] { return LinkTargets(args.links, run); };
    const auto train = [&] {
      return run(RowTrainingBody<Formula, C>(args), args.links.count * args.size);
    };
    if constexpr (RefusesScalars<Formula, C>) {
      const auto look = [&] {
        return run(NoteRefusedScalars<Formula, C>(args), args.knows_scalars ? 0 : 1);
      };
      return InTurn(look, link, train);
    } else {
      return InTurn(link, train);
    }
  }
};

// Calls visit.template operator()<Formula, C>(name, dtype) for the ops ResourceSparseApplyNAME.
template <typename Visit>
void ForEachRowTraining(const Visit& visit) {
  using namespace training;  // NOLINT: the formulas
  VisitFloats<OfRows<Momentum>>("Momentum", visit);
  VisitFloats<OfRows<KerasMomentum>>("KerasMomentum", visit);
  VisitFloats<OfRows<Adagrad>>("Adagrad", visit);
  VisitFloats<OfRows<AdagradV2>>("AdagradV2", visit);
  VisitFloats<OfRows<AdagradDA>>("AdagradDA", visit);
  VisitFloats<OfRows<RmsProp>>("RMSProp", visit);
  VisitFloats<OfRows<CenteredRmsProp>>("CenteredRMSProp", visit);
  VisitFloats<OfRows<Adadelta>>("Adadelta", visit);
  VisitFloats<OfRows<Ftrl<false>>>("Ftrl", visit);
  VisitFloats<OfRows<Ftrl<true>>>("FtrlV2", visit);
  VisitFloats<OfRows<ProximalGradientDescent>>("ProximalGradientDescent", visit);
  VisitFloats<OfRows<ProximalAdagrad>>("ProximalAdagrad", visit);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_TRAINING_BODIES_H_
