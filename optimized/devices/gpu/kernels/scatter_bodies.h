#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_BODIES_H_

// Tensors whose rows are changed by updates, each by all that go there, one after the other as on
// the host (kernels/scatter.cc): so floats are added in its order.
//
// Costs: those of row_links.h, and for each element as many steps as updates go there.
//
// Tested by conformance/gpu/host_scatter_test.cc.

#include <cstddef>
#include <cstdint>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/move_bodies.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/row_links.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/arithmetic.h"
#include "optimized/formulas/changes.h"

namespace tagflow::optimized {

struct ScatterArgs {
  const void* tensor;   // [rows, size]; null: zeros
  const void* updates;  // [links.count, size]
  void* out;            // [rows, size]
  int64_t size;
  RowLinks links;
};

template <typename Change, typename C>
struct ScatterBody {
  explicit ScatterBody(const ScatterArgs& args)
      : tensor(static_cast<const C*>(args.tensor)),
        updates(static_cast<const C*>(args.updates)),
        out(static_cast<C*>(args.out)),
        size(args.size),
        first(args.links.first),
        next(args.links.next) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t row = i / size, column = i % size;
    C x = tensor != nullptr ? tensor[i] : C(0);
    for (int64_t from = first[row]; from != RowLinks::kNone; from = next[from]) {
      x = Change()(x, updates[from * size + column]);
    }
    out[i] = x;
  }
  const C* tensor;
  const C* updates;
  C* out;
  int64_t size;
  const int64_t* first;
  const int64_t* next;
};

// Of several, the last stays.
struct Replace {
  template <typename Bits>
  TAGFLOW_ANYWHERE Bits operator()(Bits, Bits update) const {
    return update;
  }
};

template <typename Change, typename C>
struct ScatterPasses {
  template <typename Run>
  static auto RunAll(const ScatterArgs& args, const Run& run) {
    return InTurn([&] { return LinkRows(args.links, run); },
                  [&] { return run(ScatterBody<Change, C>(args), args.links.rows * args.size); });
  }
};

template <typename Change, typename Visit>
void VisitScatter(const char* op, const Visit& visit) {
  visit.template operator()<ScatterPasses<Change, float>>(op, DType::kFloat);
  visit.template operator()<ScatterPasses<Change, double>>(op, DType::kDouble);
  visit.template operator()<ScatterPasses<Change, int32_t>>(op, DType::kInt32);
  visit.template operator()<ScatterPasses<Change, int64_t>>(op, DType::kInt64);
}

template <typename Visit>
struct VisitsReplacement {
  template <typename Bits>
  bool operator()() const {
    visit.template operator()<ScatterPasses<Replace, Bits>>("TensorScatterUpdate", dtype);
    return true;
  }
  const Visit& visit;
  DType dtype;
};

// Calls visit.template operator()<Passes>(op, dtype) for every op.
template <typename Visit>
void ForEachScatter(const Visit& visit) {
  VisitScatter<formulas::Add>("ScatterNd", visit);
  VisitScatter<formulas::Add>("ScatterNdNonAliasingAdd", visit);
  VisitScatter<formulas::Add>("TensorScatterAdd", visit);
  VisitScatter<formulas::Sub>("TensorScatterSub", visit);
  VisitScatter<formulas::Raise>("TensorScatterMax", visit);
  VisitScatter<formulas::Lower>("TensorScatterMin", visit);
  for (const DType dtype : kMovedDTypes) {
    ForElementSize(DTypeSize(dtype), VisitsReplacement<Visit>{visit, dtype}, false);
  }
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_SCATTER_BODIES_H_
