// Gradients of ragged tensors: where each element goes, its gradient comes from.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"
#include "transform/gradients/row_updates.h"

namespace tagflow {
namespace {

Output Vector(const Scope& scope, const std::vector<int32_t>& numbers) {
  return Const(scope, numbers);
}

// The rows of values that are taken are those from where a row of the first splits begins,
// dimension by dimension, to where the next one does.
Status GatherGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const size_t values = node.num_inputs() - 2;
  if (!node.wants(values)) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t port, IntAttr(node.node(), "OUTPUT_RAGGED_RANK"));
  Output begins = node.input(0);
  for (size_t i = 1; i < values; ++i) begins = Gather(scope, node.input(i), begins, 0);
  const Output rows = Reshape(scope, node.input(values + 1), Vector(scope, {-1}));
  const Output first = Gather(scope, begins, rows, 0);
  const Output end = Gather(scope, begins, Add(scope, rows, 1), 0);
  const DType dtype = node.input_dtype(0);
  const Operation range =
      Op(scope, "RaggedRange", {first, end, Cast(scope, 1, dtype)}, {{"Tsplits", dtype}});
  const Output taken = range.output(1);
  node.GiveUpdate(values, AddAtRows(scope, taken, node.grad(static_cast<size_t>(port))));
  return Status();
}

Status ToSparseGradient(NodeGradient& node) {
  const size_t values = node.num_inputs() - 1;
  if (!node.wants(values) || !node.has_grad(1)) return Status();
  node.Give(values, Reshape(node.scope(), node.grad(1), node.shape_of_input(values)));
  return Status();
}

// The same with the numbers of the values, and -1 where there is none, tells from where each
// element of the output came.
Status ToTensorGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList kinds, ListAttr(node.node(), "row_partition_types"));
  const bool has_size = kinds.strings.front() == "FIRST_DIM_SIZE";
  const auto ragged = static_cast<int32_t>(kinds.strings.size()) - (has_size ? 1 : 0);
  const Output dims = node.shape_of_output(0);
  const Output outer = Slice(scope, dims, Vector(scope, {0}), Vector(scope, {ragged + 1}));
  const Output element = Slice(scope, dims, Vector(scope, {ragged + 1}), Vector(scope, {-1}));
  const Output count = ElementAt(scope, node.shape_of_input(1), 0);
  std::vector<Input> inputs = {outer, Range(scope, 0, count, 1), Const(scope, int32_t{-1})};
  for (size_t i = 3; i < node.num_inputs(); ++i) inputs.push_back(node.input(i));
  const Output numbers =
      Op(scope, "RaggedTensorToTensor", inputs,
         {{"row_partition_types", kinds},
          {"num_row_partition_tensors", static_cast<int64_t>(kinds.strings.size())}});
  const Output from = Reshape(scope, numbers, Vector(scope, {-1}));
  const Output places = Op(scope, "Size", {from});
  const Output rows = Reshape(
      scope, node.grad(0), Concat(scope, {Reshape(scope, places, Vector(scope, {1})), element}, 0));
  const auto sums = [&](const Output& to, const Output& size) -> Output {
    return Op(scope, "UnsortedSegmentSum", {rows, to, size});  // those below 0 go nowhere
  };
  if (node.wants(1)) node.Give(1, sums(from, count));
  if (node.wants(2)) {
    const Output to_default = Select(scope, Less(scope, from, 0), 0, -1);
    node.GiveReduced(2, Reshape(scope, sums(to_default, Const(scope, int32_t{1})), element));
  }
  return Status();
}

// Of a batch, the splits say which of the values are in each variant: those of the first dimension,
// counted through all others. (TensorFlow gives those of the first dimension alone, and so takes a
// variant that has no gradient for another number of zeros.)
Status ToVariantGradient(NodeGradient& node) {
  const size_t values = node.num_inputs() - 1;
  if (!node.wants(values)) return Status();
  const Scope& scope = node.scope();
  const bool batched = BoolAttrOf(node, "batched_input");
  Output splits = batched && values > 0 ? node.input(0) : Const(scope, int64_t{0});
  for (size_t i = 1; batched && i < values; ++i) splits = Gather(scope, node.input(i), splits, 0);
  const Output gradient = Op(scope, "RaggedTensorToVariantGradient",
                             {node.grad(0), splits, node.shape_of_input(values)},
                             {{"Tvalues", node.input_dtype(values)}});
  scope.SetShape(gradient, node.input_shape(values));
  node.Give(values, gradient);
  return Status();
}

// The gradients of the rows in each variant; of variants in several dimensions, those of all one
// after the other. As in TensorFlow, variants of unknown rank are taken for a vector where the
// output is ragged; their gradients add up to the same where there was but one.
//   encoded_ragged
Status FromVariantGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t ragged, IntAttr(node.node(), "output_ragged_rank"));
  TAGFLOW_ASSIGN_OR_RETURN(const DType splits_dtype, TypeAttr(node.node(), "Tsplits"));
  const PartialShape shape = node.input_shape(0);
  const int64_t rank = shape.known_rank() ? shape.rank() : ragged > 0 ? 1 : 0;
  // The splits of all but the last dimension of the variants tell nothing of the rows.
  OutputList splits;
  for (int64_t i = std::max<int64_t>(rank - 1, 0); i < ragged; ++i) {
    splits.push_back(node.output(static_cast<size_t>(i)));
  }
  const Output values = node.grad(static_cast<size_t>(ragged));
  Output gradient = Op(scope, "RaggedTensorToVariant", {splits, values},
                       {{"batched_input", rank > 0},
                        {"RAGGED_RANK", static_cast<int64_t>(splits.size())},
                        {"Tsplits", splits_dtype}});
  if (rank > 1) gradient = Reshape(scope, gradient, node.shape_of_input(0));
  node.Give(0, gradient);
  return Status();
}

// The gradient of the values is cut as they were; the rows in it have no splits any more.
//   encoded_ragged_grad, row_splits, dense_values_shape
Status OfToVariantGradient(NodeGradient& node) {
  const Scope& scope = node.scope();
  const PartialShape shape = node.input_shape(0), splits_shape = node.input_shape(1);
  if (!shape.known_rank() || !splits_shape.known_rank()) {
    return Unimplemented(
        "the gradient of RaggedTensorToVariantGradient needs to know whether "
        "there is a variant for each row: give encoded_ragged_grad a shape");
  }
  OutputList splits;
  const bool batched = shape.rank() > 0;
  if (batched && splits_shape.rank() > 0) splits.push_back(node.input(1));
  node.Give(0, Op(scope, "RaggedTensorToVariant", {splits, node.grad(0)},
                  {{"batched_input", batched},
                   {"RAGGED_RANK", static_cast<int64_t>(splits.size())},
                   {"Tsplits", node.input_dtype(1)}}));
  return Status();
}

const GradientEntry kEntries[] = {
    {"RaggedGather", GatherGradient},
    {"RaggedTensorToSparse", ToSparseGradient},
    {"RaggedTensorToTensor", ToTensorGradient},
    {"RaggedTensorToVariant", ToVariantGradient},
    {"RaggedTensorFromVariant", FromVariantGradient},
    {"RaggedTensorToVariantGradient", OfToVariantGradient},
};

}  // namespace

Status RegisterRaggedGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return registry.RegisterStop("RaggedRange");  // as in TensorFlow, which says that it has none
}

}  // namespace tagflow
