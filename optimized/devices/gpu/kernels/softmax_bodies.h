#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SOFTMAX_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SOFTMAX_BODIES_H_

// Softmax of rows and the losses that are made of it, as on the host (kernels/softmax.cc): in
// double, from rows shifted by their maximum, rounded once. Maxima and sums are reductions
// (reduction_bodies.h), so they are the same in every run.
//
// Tested by conformance/gpu/host_softmax_test.cc.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/fault_place.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/folds.h"
#include "optimized/devices/gpu/kernels/pair_places.h"
#include "optimized/devices/gpu/kernels/passes.h"
#include "optimized/devices/gpu/kernels/reduction_bodies.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/smooth.h"

namespace tagflow::optimized {

struct SoftmaxArgs {
  const void* x;  // [rows, classes]
  void* out;      // of that shape: the softmax, its logarithm, or the gradient of the loss
  int64_t rows, classes;
  ReductionPlaces row_places;  // of one number for each row
  void* rooms[2];              // between the passes of a reduction of the rows
  void* maxima;                // of x's dtype, of each row
  void* sums;                  // double, of each row

  void* loss;  // [rows]

  // Of the loss by labels that are shares of all classes. An input is in memory, or a scalar that
  // the host has: its pointer is null.
  const void* features;
  const void* labels;
  alignas(8) char feature_scalar[8];
  alignas(8) char label_scalar[8];
  PairPlaces places;  // of the features and the labels
  void* expanded;     // room for x, where the features have not its shape; else null
  void* terms;        // double, of x's shape

  // Of the loss by labels that are each the number of a class.
  const void* row_labels;  // [rows], integers
  size_t label_bytes;      // 4 or 8
  FaultPlace fault;        // is told the row of a label outside of [0, classes)
};

// x, of features that broadcast.
template <typename C>
struct ExpandBody {
  explicit ExpandBody(const SoftmaxArgs& args)
      : features(static_cast<const C*>(args.features)),
        scalar(*reinterpret_cast<const C*>(args.feature_scalar)),
        out(static_cast<C*>(args.expanded)),
        places(args.places) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    int64_t at = i, unused = i;
    if (places.rank > 0) places.Find(i, at, unused);
    out[i] = features != nullptr ? features[at] : scalar;
  }
  const C* features;
  C scalar;
  C* out;
  PairPlaces places;
};

// The logarithm of the softmax.
template <typename C>
struct LogSoftmaxAt {
  explicit LogSoftmaxAt(const SoftmaxArgs& args)
      : x(static_cast<const C*>(args.x)),
        maxima(static_cast<const C*>(args.maxima)),
        sums(static_cast<const double*>(args.sums)),
        classes(args.classes) {}
  TAGFLOW_ANYWHERE double operator()(int64_t i) const {
    const int64_t row = i / classes;
    return static_cast<double>(x[i]) - static_cast<double>(maxima[row]) - std::log(sums[row]);
  }
  const C* x;
  const C* maxima;
  const double* sums;
  int64_t classes;
};

template <typename C, bool logarithm>
struct SoftmaxBody {
  explicit SoftmaxBody(const SoftmaxArgs& args)
      : log_softmax(args), out(static_cast<C*>(args.out)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const double log = log_softmax(i);
    out[i] = static_cast<C>(logarithm ? log : SmoothExp(log));
  }
  LogSoftmaxAt<C> log_softmax;
  C* out;
};

// The gradient, and each class's part of the loss.
template <typename C>
struct CrossEntropyBody {
  explicit CrossEntropyBody(const SoftmaxArgs& args)
      : log_softmax(args),
        labels(static_cast<const C*>(args.labels)),
        scalar(*reinterpret_cast<const C*>(args.label_scalar)),
        places(args.places),
        backprop(static_cast<C*>(args.out)),
        terms(static_cast<double*>(args.terms)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    int64_t unused = i, at = i;
    if (places.rank > 0) places.Find(i, unused, at);
    const double label = labels != nullptr ? labels[at] : scalar;
    const double log = log_softmax(i);
    terms[i] = label * log;
    backprop[i] = static_cast<C>(SmoothExp(log) - label);
  }
  LogSoftmaxAt<C> log_softmax;
  const C* labels;
  C scalar;
  PairPlaces places;
  C* backprop;
  double* terms;
};

// The same where the label of a row is one class, which is checked.
template <typename C, typename I>
struct SparseCrossEntropyBody {
  explicit SparseCrossEntropyBody(const SoftmaxArgs& args)
      : log_softmax(args),
        labels(static_cast<const I*>(args.row_labels)),
        backprop(static_cast<C*>(args.out)),
        loss(static_cast<C*>(args.loss)),
        fault(args.fault) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t row = i / log_softmax.classes, label = labels[row];
    const bool is_outside = label < 0 || label >= log_softmax.classes;
    if (is_outside) return fault.Note(row);
    const double log = log_softmax(i);
    const bool is_label = i % log_softmax.classes == label;
    if (is_label) loss[row] = static_cast<C>(0 - log);
    backprop[i] = static_cast<C>(SmoothExp(log) - (is_label ? 1 : 0));
  }
  LogSoftmaxAt<C> log_softmax;
  const I* labels;
  C* backprop;
  C* loss;
  FaultPlace fault;
};

inline ReductionArgs ReductionOfRows(const SoftmaxArgs& args, const void* x, void* out,
                                     const void* by_output = nullptr) {
  return {x, out, {args.rooms[0], args.rooms[1]}, args.row_places, by_output};
}

// The maxima, and the sums of what is shifted by them.
template <typename C, typename Run>
auto RunRows(const SoftmaxArgs& args, const Run& run) {
  return InTurn(
      [&] { return RunPasses<MaxFold<C>>(ReductionOfRows(args, args.x, args.maxima), run); },
      [&] {
        return RunPasses<ShiftedExpFold<C>>(ReductionOfRows(args, args.x, args.sums, args.maxima),
                                            run);
      });
}

template <typename C, bool logarithm>
struct SoftmaxPasses {
  template <typename Run>
  static auto RunAll(const SoftmaxArgs& args, const Run& run) {
    return InTurn([&] { return RunRows<C>(args, run); },
                  [&] { return run(SoftmaxBody<C, logarithm>(args), args.rows * args.classes); });
  }
};
template <typename C>
using OfSoftmax = SoftmaxPasses<C, false>;
template <typename C>
using OfLogSoftmax = SoftmaxPasses<C, true>;

template <typename C>
struct OfCrossEntropy {
  template <typename Run>
  static auto RunAll(SoftmaxArgs args, const Run& run) {
    const int64_t count = args.rows * args.classes;
    const int64_t expanded = args.expanded == nullptr ? 0 : count;
    args.x = args.expanded == nullptr ? args.features : args.expanded;
    return InTurn(
        [&] { return run(ExpandBody<C>(args), expanded); }, [&] { return RunRows<C>(args, run); },
        [&] { return run(CrossEntropyBody<C>(args), count); },
        [&] {
          return RunPasses<NegatedSumFold<C>>(ReductionOfRows(args, args.terms, args.loss), run);
        });
  }
};

template <typename C>
struct OfSparseCrossEntropy {
  template <typename Run>
  static auto RunAll(const SoftmaxArgs& args, const Run& run) {
    const int64_t count = args.rows * args.classes;
    return InTurn([&] { return RunRows<C>(args, run); },
                  [&] {
                    return args.label_bytes == sizeof(int32_t)
                               ? run(SparseCrossEntropyBody<C, int32_t>(args), count)
                               : run(SparseCrossEntropyBody<C, int64_t>(args), count);
                  });
  }
};

// Calls visit.template operator()<Passes>(op, dtype) for every op.
template <template <typename> typename Passes, typename Visit>
void VisitSoftmax(const char* op, const Visit& visit) {
  visit.template operator()<Passes<float>>(op, DType::kFloat);
  visit.template operator()<Passes<double>>(op, DType::kDouble);
}
template <typename Visit>
void ForEachSoftmax(const Visit& visit) {
  VisitSoftmax<OfSoftmax>("Softmax", visit);
  VisitSoftmax<OfLogSoftmax>("LogSoftmax", visit);
  VisitSoftmax<OfCrossEntropy>("SoftmaxCrossEntropyWithLogits", visit);
  VisitSoftmax<OfSparseCrossEntropy>("SparseSoftmaxCrossEntropyWithLogits", visit);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SOFTMAX_BODIES_H_
