#include "transform/gradients/last_writer.h"

#include "graph/builder/builder.h"

namespace tagflow {
namespace {

// Each slice where `is_last` says so, else zeros. Not a product: what was overwritten may be where
// a gradient is not finite.
Output Chosen(const Scope& scope, const Output& is_last, const Output& slices) {
  const Output missing = Sub(scope, Rank(scope, slices), Rank(scope, is_last));
  const Output ones =
      Fill(scope, Reshape(scope, missing, Const(scope, std::vector<int32_t>{1})), 1);
  const Output aligned = Reshape(scope, is_last, Concat(scope, {Shape(scope, is_last), ones}, 0));
  const Output chosen = Select(scope, aligned, slices, ZerosLike(scope, slices));
  scope.SetShape(chosen, slices.shape());
  return chosen;
}

}  // namespace

OutputList OfLastWriters(const Scope& scope, const OutputList& indices, const OutputList& rows) {
  OutputList numbers;  // of all rows, list after list
  Output begin = Const(scope, int32_t{0});
  for (const Output& list : indices) {
    const Output end = Add(scope, begin, Size(scope, list));
    numbers.push_back(Reshape(scope, Range(scope, begin, end, 1), Shape(scope, list)));
    begin = end;
  }
  const Output writers = Op(scope, "DynamicStitch", {indices, numbers});
  OutputList chosen;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Output last = Gather(scope, writers, indices[i], 0);
    chosen.push_back(Chosen(scope, Equal(scope, last, numbers[i]), rows[i]));
  }
  return chosen;
}

Output OfLastWritersAt(const Scope& scope, const Output& indices, const Output& slices,
                       const Output& shape, const AttrMap& attrs) {
  const Output dims = Shape(scope, indices);
  const Output outer = Slice(
      scope, dims, Const(scope, std::vector<int32_t>{0}),
      Reshape(scope, Sub(scope, Size(scope, dims), 1), Const(scope, std::vector<int32_t>{1})));
  const Output count = Op(scope, "Prod", {outer, 0});
  const Output numbers = Reshape(scope, Range(scope, 0, count, 1), outer);
  const Output writers =
      Op(scope, "TensorScatterUpdate", {Fill(scope, shape, 0), indices, numbers}, attrs);
  const Output last = Op(scope, "GatherNd", {writers, indices}, attrs);
  return Chosen(scope, Equal(scope, last, numbers), slices);
}

}  // namespace tagflow
