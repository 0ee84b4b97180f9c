// Ops that parse training data: records of examples and raw bytes become tensors.

#include <string>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status DecodeRawShape(ShapeContext& context) {
  const PartialShape& input = context.input(0);
  if (!input.known_rank()) return Status();
  Dims dims = input.dims();
  dims.push_back(PartialShape::kUnknownDim);
  context.set_output(0, PartialShape(std::move(dims)));
  return Status();
}

// A shape for each example: the dimensions of `examples`, and behind them those of `each`.
PartialShape ForEach(const PartialShape& examples, const PartialShape& each) {
  if (!examples.known_rank() || !each.known_rank()) return PartialShape();
  Dims dims = examples.dims();
  dims.insert(dims.end(), each.dims().begin(), each.dims().end());
  return PartialShape(std::move(dims));
}

// Outputs of both ops: places, values and shapes of sparse features, then dense ones.
//   count: the attr that says how many are sparse; output: the number of the first, of the next one
//   at the end
Status SetSparseAndDense(ShapeContext& context, const char* count, const PartialShape& examples,
                         int& output) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t num_sparse, IntAttr(context.node(), count));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList types, ListAttr(context.node(), "sparse_types"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList shapes, ListAttr(context.node(), "dense_shapes"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList dense, ListAttr(context.node(), "Tdense"));
  const int sparse = static_cast<int>(types.types.size());
  if (num_sparse != sparse) {
    return InvalidArgument("Expected len(sparse_types) == " + std::string(count) + ", " +
                           std::to_string(num_sparse) + ", but got: " + std::to_string(sparse));
  }
  const int64_t width = examples.known_rank() ? examples.rank() + 1 : PartialShape::kUnknownDim;
  for (int i = 0; i < sparse; ++i) {
    context.set_output(output + i, PartialShape(Dims{PartialShape::kUnknownDim, width}));
    context.set_output(output + sparse + i, PartialShape::UnknownOfRank(1));
    context.set_output(output + 2 * sparse + i, PartialShape(Dims{width}));
  }
  output += 3 * sparse;
  for (size_t i = 0; i < dense.types.size(); ++i, ++output) {
    const bool is_said = i < shapes.shapes.size();
    context.set_output(output, is_said ? ForEach(examples, shapes.shapes[i]) : PartialShape());
  }
  return Status();
}

Status ParseExampleShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 0, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  int output = 0;
  return SetSparseAndDense(context, "Nsparse", context.input(0), output);
}

Status ParseExampleV2Shape(ShapeContext& context) {
  const PartialShape& examples = context.input(0);
  if (examples.known_rank() && examples.rank() > 1) {
    return InvalidArgument("input 'serialized' must be a scalar or a vector, not " +
                           examples.ToString());
  }
  for (int keys = 2; keys < 5; ++keys) {
    TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, keys, 1));
  }
  int output = 0;
  TAGFLOW_RETURN_IF_ERROR(SetSparseAndDense(context, "num_sparse", examples, output));
  for (; output < context.num_outputs(); ++output) {
    context.set_output(output, PartialShape::UnknownOfRank(1));
  }
  return Status();
}

OpDefBuilder WithSparseAndDense(OpDefBuilder op) {
  return op.Attr("sparse_types: list({float, int64, string}) >= 0")
      .Attr("Tdense: list({float, int64, string}) >= 0")
      .Attr("dense_shapes: list(shape) >= 0");
}

std::vector<OpDefBuilder> ParsingOps() {
  return {
      OpDefBuilder("DecodeRaw")
          .Input("bytes: string")
          .Output("output: out_type")
          .Attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
                "complex64, complex128, bool, bfloat16}")
          .Attr("little_endian: bool = true")
          .Summary("The numbers whose bytes are those of texts of one length.")
          .Shape(DecodeRawShape),
      WithSparseAndDense(OpDefBuilder("ParseExample")
                             .Input("serialized: string")
                             .Input("names: string")
                             .Input("sparse_keys: Nsparse * string")
                             .Input("dense_keys: Ndense * string")
                             .Input("dense_defaults: Tdense")
                             .Output("sparse_indices: Nsparse * int64")
                             .Output("sparse_values: sparse_types")
                             .Output("sparse_shapes: Nsparse * int64")
                             .Output("dense_values: Tdense")
                             .Attr("Nsparse: int >= 0")
                             .Attr("Ndense: int >= 0"))
          .Summary("The features of examples, sparse or side by side.")
          .Shape(ParseExampleShape),
      WithSparseAndDense(OpDefBuilder("ParseExampleV2")
                             .Input("serialized: string")
                             .Input("names: string")
                             .Input("sparse_keys: string")
                             .Input("dense_keys: string")
                             .Input("ragged_keys: string")
                             .Input("dense_defaults: Tdense")
                             .Output("sparse_indices: num_sparse * int64")
                             .Output("sparse_values: sparse_types")
                             .Output("sparse_shapes: num_sparse * int64")
                             .Output("dense_values: Tdense")
                             .Output("ragged_values: ragged_value_types")
                             .Output("ragged_row_splits: ragged_split_types")
                             .Attr("num_sparse: int >= 0"))
          .Attr("ragged_value_types: list({float, int64, string}) >= 0")
          .Attr("ragged_split_types: list({int32, int64}) >= 0")
          .Summary("The features of one example or of several, sparse, side by side or ragged.")
          .Shape(ParseExampleV2Shape),
  };
}

}  // namespace

Status RegisterParsingOps(OpRegistry& registry) { return RegisterAll(registry, ParsingOps()); }

}  // namespace tagflow
