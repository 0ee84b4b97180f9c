#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_UPDATE_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_UPDATE_BODIES_H_

// Rows of a variable that are changed in place by updates, each by all that go there, one after the
// other as on the host (kernels/variable_rows.cc): so floats are added in its order.
//
//   updates   0  1  2  3      go to rows   7  2  7  7
//   threads   of update 0: row 7 by 0, 2 and 3; of update 1: row 2; of 2 and 3: none
//
// All is checked before anything is written: earlier passes note what is refused, and the last one
// does nothing where this kernel, or one before it in the step, has noted something. So a variable
// is what it was where its step fails ([device.1]).
//
// Costs: those of row_links.h but for the rows that nothing goes to, and for each element of the
// others as many steps as updates go there.
//
// Tested by conformance/gpu/host_row_updates_test.cc.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/move_bodies.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/row_links.h"
#include "optimized/devices/gpu/kernels/scatter_bodies.h"
#include "optimized/formulas/anywhere.h"
#include "optimized/formulas/arithmetic.h"
#include "optimized/formulas/changes.h"

namespace tagflow::optimized {

// An element of a row that something goes to, for the thread that changes it.
struct RowElement {
  TAGFLOW_ANYWHERE RowElement(const RowLinks& links, int64_t size, int64_t i)
      : from(i / size), column(i % size), row(links.targets[from]) {
    is_mine = row != Coordinates::kNowhere && links.first[row] == from;
  }
  int64_t from;  // the first that goes there
  int64_t column;
  int64_t row;
  bool is_mine;  // else another thread changes the element, or none
};

struct RowUpdateArgs {
  void* variable;       // [rows, size]
  const void* updates;  // [links.count, size], or one for all; null: the host has that one
  alignas(8) char scalar[8];
  bool is_one_for_all;
  int64_t size;
  RowLinks links;

  // Of the updates.
  int64_t elements() const { return is_one_for_all ? 1 : links.count * size; }
};

template <typename C>
struct Updates {
  explicit Updates(const RowUpdateArgs& args)
      : elements(static_cast<const C*>(args.updates)),
        scalar(*reinterpret_cast<const C*>(args.scalar)),
        step(args.is_one_for_all ? 0 : 1) {}
  TAGFLOW_ANYWHERE C operator[](int64_t i) const {
    return elements != nullptr ? elements[step * i] : scalar;
  }
  const C* elements;
  C scalar;
  int64_t step;
};

// Notes those that nothing is to be divided by.
template <typename C>
struct NoteZeros {
  explicit NoteZeros(const RowUpdateArgs& args)
      : updates(args), fault(args.links.coordinates.fault) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    if (updates[i] == C(0)) fault.Note(i);
  }
  Updates<C> updates;
  FaultPlace fault;
};

template <typename Change, typename C>
struct RowUpdateBody {
  explicit RowUpdateBody(const RowUpdateArgs& args)
      : variable(static_cast<C*>(args.variable)),
        updates(args),
        size(args.size),
        links(args.links) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    if (links.coordinates.fault.IsAnyNoted()) return;
    const RowElement at(links, size, i);
    if (!at.is_mine) return;
    C& element = variable[at.row * size + at.column];
    C x = element;
    for (int64_t from = at.from; from != RowLinks::kNone; from = links.next[from]) {
      x = Change()(x, updates[from * size + at.column]);
    }
    element = x;
  }
  C* variable;
  Updates<C> updates;
  int64_t size;
  RowLinks links;
};

template <typename Change, typename C>
struct RowUpdatePasses {
  template <typename Run>
  static auto RunAll(const RowUpdateArgs& args, const Run& run) {
    const auto link = [&] { return LinkTargets(args.links, run); };
    const auto update = [&] {
      return run(RowUpdateBody<Change, C>(args), args.links.count * args.size);
    };
    if constexpr (std::is_same_v<Change, formulas::Div>) {
      return InTurn([&] { return run(NoteZeros<C>(args), args.elements()); }, link, update);
    } else {
      return InTurn(link, update);
    }
  }
};

template <typename Change, typename Visit>
void VisitRowUpdates(const char* name, const Visit& visit) {
  visit.template operator()<RowUpdatePasses<Change, float>>(name, DType::kFloat);
  visit.template operator()<RowUpdatePasses<Change, double>>(name, DType::kDouble);
  visit.template operator()<RowUpdatePasses<Change, int32_t>>(name, DType::kInt32);
  visit.template operator()<RowUpdatePasses<Change, int64_t>>(name, DType::kInt64);
}

template <typename Visit>
struct VisitsRowReplacement {
  template <typename Bits>
  bool operator()() const {
    visit.template operator()<RowUpdatePasses<Replace, Bits>>("Update", dtype);
    return true;
  }
  const Visit& visit;
  DType dtype;
};

// Calls visit.template operator()<Passes>(name, dtype) for the ops ResourceScatterNAME and, where
// there is one, ResourceScatterNdNAME.
template <typename Visit>
void ForEachRowUpdate(const Visit& visit) {
  VisitRowUpdates<formulas::Add>("Add", visit);
  VisitRowUpdates<formulas::Sub>("Sub", visit);
  VisitRowUpdates<formulas::Mul>("Mul", visit);
  VisitRowUpdates<formulas::Div>("Div", visit);
  VisitRowUpdates<formulas::Lower>("Min", visit);
  VisitRowUpdates<formulas::Raise>("Max", visit);
  for (const DType dtype : kMovedDTypes) {
    ForElementSize(DTypeSize(dtype), VisitsRowReplacement<Visit>{visit, dtype}, false);
  }
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_ROW_UPDATE_BODIES_H_
