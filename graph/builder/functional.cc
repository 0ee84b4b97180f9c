// Map, Scan, FoldL, FoldR as one kind of loop:
//
//   variables: i, the accumulators (none for Map), one flow per result array (none for the folds)
//   each element is unstacked into an array before the loop, and row i is read in the body
//
// The arrays of results are made outside the loop, but only once the function has told their type:
// LoopBuilder takes variables from inside the body.
//
// Tested by functional_test and conformance/builder.

#include "graph/builder/functional.h"

#include "graph/builder/array_ops.h"
#include "graph/builder/const_op.h"
#include "graph/builder/loop_builder.h"
#include "graph/builder/math_ops.h"
#include "graph/builder/tensor_array.h"

namespace tagflow {
namespace {

using internal::LoopBuilder;

PartialShape RowShape(const PartialShape& shape) {
  if (!shape.known_rank()) return PartialShape();
  return PartialShape(Dims(shape.dims().begin() + 1, shape.dims().end()));
}

class RowLoop {
 public:
  RowLoop(const Scope& scope, const MapOptions& options, const std::string& name, bool reverse,
          bool collect)
      : scope_(scope.SubScope(options.name.empty() ? name : options.name)),
        options_(options),
        reverse_(reverse),
        collect_(collect) {}

  OutputList Run(const FoldFunction& function, const OutputList& elements,
                 const OutputList& initial, bool start_from_row);

 private:
  void Unstack(const OutputList& elements);
  OutputList Row(const Scope& scope, const Output& i) const;
  Output FirstIndex(bool skip_one) const;
  // The row at which `i` (before it is moved on) points.
  Output IndexOf(const Scope& scope, const Output& i) const {
    return reverse_ ? Sub(scope, i, 1) : i;
  }
  OutputList Body(const FoldFunction& function, LoopBuilder* loop, const Scope& scope,
                  const OutputList& v);
  TensorArray ResultArray(const Output& result, size_t k);

  Scope scope_;  // named, outside the loop
  MapOptions options_;
  bool reverse_;
  bool collect_;                   // whether each row's results are stacked
  Output count_;                   // n
  std::vector<TensorArray> rows_;  // one per element
  OutputList accumulators_;        // initially
  bool start_from_row_ = false;
  std::vector<TensorArray> results_;  // as made, before the loop writes to them
};

void RowLoop::Unstack(const OutputList& elements) {
  if (elements.empty()) {
    return scope_.Fail(InvalidArgument("'" + scope_.data().prefix +
                                       "' has no elements: give at least one tensor"));
  }
  for (const Output& element : elements) {
    if (element.shape().known_rank() && element.shape().rank() == 0) {
      return scope_.Fail(
          InvalidArgument("'" + element.name() + "' is a scalar and has no rows to go over"));
    }
  }
  const PartialShape shape = elements[0].shape();
  const bool known = shape.known_rank() && shape.dim(0) != PartialShape::kUnknownDim;
  count_ = known ? Const(scope_.WithOpName("count"), static_cast<int32_t>(shape.dim(0)))
                 : ElementAt(scope_.WithOpName("count"), Shape(scope_, elements[0]), 0);
  for (const Output& element : elements) {
    const TensorArray array(scope_, count_, element.dtype(),
                            {.element_shape = RowShape(element.shape())});
    rows_.push_back(array.Unstack(scope_, element));
  }
}

OutputList RowLoop::Row(const Scope& scope, const Output& i) const {
  std::vector<Output> row;
  for (const TensorArray& array : rows_) row.push_back(array.Read(scope, i));
  return OutputList(std::move(row), scope.state());
}

// Forwards i is the row to come; backwards it is one more.
Output RowLoop::FirstIndex(bool skip_one) const {
  const Scope names = scope_.WithOpName("start");
  if (!reverse_) return Const(names, int32_t{skip_one ? 1 : 0});
  return skip_one ? Sub(names, count_, 1) : Identity(names, count_);
}

// An array for result k. Where the first row was taken as it is, that is its first value.
TensorArray RowLoop::ResultArray(const Output& result, size_t k) {
  if (!start_from_row_) {
    return TensorArray(scope_, count_, result.dtype(), {.element_shape = result.shape()});
  }
  const Output& first = accumulators_[k];
  const TensorArray array(scope_, count_, result.dtype(),
                          {.element_shape = JoinShapes(result.shape(), first.shape())});
  return array.Write(scope_, reverse_ ? Sub(scope_, count_, 1) : Const(scope_, int32_t{0}), first);
}

OutputList RowLoop::Body(const FoldFunction& function, LoopBuilder* loop, const Scope& scope,
                         const OutputList& v) {
  const Output index = IndexOf(scope, v[0]);
  const OutputList accumulators(std::vector<Output>(v.begin() + 1, v.end()), scope.state());
  const OutputList out = function(scope, accumulators, Row(scope, index));
  const bool folds = !accumulators_.empty();
  if (folds && scope.ok() && out.size() != accumulators_.size()) {
    scope.Fail(InvalidArgument("the function of '" + scope_.data().prefix + "' gives " +
                               std::to_string(out.size()) + " tensors, and there are " +
                               std::to_string(accumulators_.size()) + " accumulators"));
  }
  std::vector<Output> next = {reverse_ ? index : Add(scope, v[0], 1)};
  if (folds) next.insert(next.end(), out.begin(), out.end());
  for (size_t k = 0; collect_ && scope.ok() && k < out.size(); ++k) {
    if (!out[k].valid()) {
      scope.Fail(
          InvalidArgument("the function of '" + scope_.data().prefix + "' gives an empty tensor"));
      break;
    }
    const TensorArray array = ResultArray(out[k], k);
    const size_t variable = loop->AddVariable(array.flow());
    next.push_back(array.WithFlow(loop->body_value(variable)).Write(scope, index, out[k]).flow());
    results_.push_back(array);
  }
  return OutputList(std::move(next), scope.state());
}

OutputList RowLoop::Run(const FoldFunction& function, const OutputList& elements,
                        const OutputList& initial, bool start_from_row) {
  Unstack(elements);
  if (!scope_.ok()) return OutputList({}, scope_.state());
  start_from_row_ = start_from_row;
  accumulators_ = start_from_row
                      ? Row(scope_, reverse_ ? Sub(scope_, count_, 1) : Const(scope_, int32_t{0}))
                      : initial;
  LoopBuilder loop(scope_, {.parallel_iterations = options_.parallel_iterations,
                            .back_prop = options_.back_prop,
                            .swap_memory = options_.swap_memory});
  loop.AddVariable(FirstIndex(start_from_row));
  for (const Output& accumulator : accumulators_) loop.AddVariable(accumulator);
  loop.SetPredicate([this](const Scope& scope, const OutputList& v) {
    return reverse_ ? Greater(scope, v[0], 0) : Less(scope, v[0], count_);
  });
  loop.BuildBody(
      [&](const Scope& scope, const OutputList& v) { return Body(function, &loop, scope, v); });
  const OutputList finals = loop.Finish();
  if (!scope_.ok()) return OutputList({}, scope_.state());
  std::vector<Output> outputs;
  const size_t flows = 1 + accumulators_.size();
  for (size_t k = 0; k < results_.size(); ++k) {
    outputs.push_back(results_[k].WithFlow(finals[flows + k]).Gather(scope_));
  }
  if (!collect_) outputs.assign(finals.begin() + 1, finals.end());
  return OutputList(std::move(outputs), scope_.state());
}

}  // namespace

OutputList Map(const Scope& scope, const MapFunction& function, const OutputList& elements,
               const MapOptions& options) {
  RowLoop loop(scope, options, "map", /*reverse=*/false, /*collect=*/true);
  return loop.Run([&function](const Scope& inner, const OutputList&,
                              const OutputList& row) { return function(inner, row); },
                  elements, {}, /*start_from_row=*/false);
}

OutputList Scan(const Scope& scope, const FoldFunction& function, const OutputList& elements,
                const OutputList& initial, const MapOptions& options) {
  RowLoop loop(scope, options, "scan", options.reverse, /*collect=*/true);
  return loop.Run(function, elements, initial, initial.empty());
}

OutputList FoldL(const Scope& scope, const FoldFunction& function, const OutputList& elements,
                 const OutputList& initial, const MapOptions& options) {
  RowLoop loop(scope, options, "foldl", /*reverse=*/false, /*collect=*/false);
  return loop.Run(function, elements, initial, initial.empty());
}

OutputList FoldR(const Scope& scope, const FoldFunction& function, const OutputList& elements,
                 const OutputList& initial, const MapOptions& options) {
  RowLoop loop(scope, options, "foldr", /*reverse=*/true, /*collect=*/false);
  return loop.Run(function, elements, initial, initial.empty());
}

}  // namespace tagflow
