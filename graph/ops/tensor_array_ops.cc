// Arrays of tensors that are written once per index. The float called flow orders the accesses.

#include <initializer_list>
#include <string>
#include <utility>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

// Declares that the inputs listed are scalars. The flow always is one; the handle is not checked,
// as older graphs say two strings where newer ones say one handle.
Status RequireScalars(const ShapeContext& context, std::initializer_list<int> inputs) {
  for (const int i : inputs) TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
  return Status();
}

// Every output, a handle or the flow, is a scalar.
Status NewShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {0}));
  return shapes::Scalar(context);
}

Status GradShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {1}));
  return shapes::Scalar(context);
}

Status GradWithShapeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  return GradShape(context);
}

// The flow goes out as it came in.
Status FlowShape(ShapeContext& context, int flow_in) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {flow_in}));
  context.set_output(0, context.input(flow_in));
  return Status();
}

Status WriteShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {1}));
  return FlowShape(context, 3);
}

Status ReadShape(ShapeContext& context) { return RequireScalars(context, {1, 2}); }

// `count` rows, each of the shape the attr says.
Status SetRows(ShapeContext& context, int64_t count, std::string_view attr) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape row, ShapeAttr(context.node(), attr));
  context.set_output(0, shapes::Concatenated(PartialShape(Dims{count}), row));
  return Status();
}

Status GatherShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {2}));
  const PartialShape& indices = context.input(1);
  return SetRows(context, indices.known_rank() ? indices.dim(0) : kUnknown, "element_shape");
}

Status ScatterShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 2, 1));
  if (context.input(1).known_rank() && context.input(2).known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(
        shapes::MergeDims(context.input(1).dim(0), context.input(2).dim(0)).status());
  }
  return FlowShape(context, 3);
}

Status ConcatShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {1}));
  context.set_output(1, PartialShape(Dims{kUnknown}));
  return SetRows(context, kUnknown, "element_shape_except0");
}

Status SplitShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 2, 1));
  return FlowShape(context, 3);
}

Status SizeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {1}));
  return shapes::Scalar(context);
}

// The array itself.
std::vector<OpDefBuilder> ArrayOps() {
  return {
      OpDefBuilder("TensorArrayV3")
          .Input("size: int32", ArgRole::kCount)
          .Output("handle: resource")
          .Output("flow: float")
          .Attr("dtype: type")
          .Attr("element_shape: shape = { unknown_rank: true }")
          .Attr("dynamic_size: bool = false")
          .Attr("clear_after_read: bool = true")
          .Attr("identical_element_shapes: bool = false")
          .Attr("tensor_array_name: string = ''")
          .Stateful()
          .Summary("A new array of size tensors.")
          .Shape(NewShape),
      OpDefBuilder("TensorArrayGradV3")
          .Input("handle: resource")
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("grad_handle: resource")
          .Output("flow_out: float")
          .Attr("source: string")
          .Stateful()
          .Summary("The array of the gradients of an array, made when it is not there yet.")
          .Shape(GradShape),
      OpDefBuilder("TensorArrayGradWithShape")
          .Input("handle: resource")
          .Input("flow_in: float", ArgRole::kScalar)
          .Input("shape_to_prepend: int32")
          .Output("grad_handle: resource")
          .Output("flow_out: float")
          .Attr("source: string")
          .Stateful()
          .Summary("TensorArrayGradV3 with dimensions put before those of the elements.")
          .Shape(GradWithShapeShape),
      OpDefBuilder("TensorArraySizeV3")
          .Input("handle: resource")
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("size: int32")
          .Stateful()
          .Summary("The number of elements of an array.")
          .Shape(SizeShape),
      OpDefBuilder("TensorArrayCloseV3")
          .Input("handle: resource")
          .Stateful()
          .Summary("Drops the elements of an array; using it after is an error.")
          .Shape(shapes::NoOutputs),
  };
}

// Its elements: one, or many at a time.
std::vector<OpDefBuilder> AccessOps() {
  return {
      OpDefBuilder("TensorArrayWriteV3")
          .Input("handle: resource")
          .Input("index: int32", ArgRole::kScalar)
          .Input("value: T")
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("flow_out: float")
          .Attr("T: type")
          .Stateful()
          .Summary("Writes the element at index.")
          .Shape(WriteShape),
      OpDefBuilder("TensorArrayReadV3")
          .Input("handle: resource")
          .Input("index: int32", ArgRole::kScalar)
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("value: dtype")
          .Attr("dtype: type")
          .Stateful()
          .Summary("The element at index.")
          .Shape(ReadShape),
      OpDefBuilder("TensorArrayGatherV3")
          .Input("handle: resource")
          .Input("indices: int32", ArgRole::kIndices)
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("value: dtype")
          .Attr("dtype: type")
          .Attr("element_shape: shape = { unknown_rank: true }")
          .Stateful()
          .Summary("The elements at indices, stacked.")
          .Shape(GatherShape),
      OpDefBuilder("TensorArrayScatterV3")
          .Input("handle: resource")
          .Input("indices: int32", ArgRole::kIndices)
          .Input("value: T")
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("flow_out: float")
          .Attr("T: type")
          .Stateful()
          .Summary("Writes the rows of value at indices.")
          .Shape(ScatterShape),
  };
}

// Its elements joined along their first dimension.
std::vector<OpDefBuilder> JoinedAccessOps() {
  return {
      OpDefBuilder("TensorArrayConcatV3")
          .Input("handle: resource")
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("value: dtype")
          .Output("lengths: int64")
          .Attr("dtype: type")
          .Attr("element_shape_except0: shape = { unknown_rank: true }")
          .Stateful()
          .Summary("All elements joined along dimension 0, and their lengths there.")
          .Shape(ConcatShape),
      OpDefBuilder("TensorArraySplitV3")
          .Input("handle: resource")
          .Input("value: T")
          .Input("lengths: int64")
          .Input("flow_in: float", ArgRole::kScalar)
          .Output("flow_out: float")
          .Attr("T: type")
          .Stateful()
          .Summary("Writes value cut along dimension 0 into the given lengths.")
          .Shape(SplitShape),
  };
}

// ---- As graphs had them before there were handles of their own ----

// A handle is two texts: where it is kept, and its name.
Status TextHandleShape(ShapeContext& context) {
  context.set_output(0, PartialShape(Dims{2}));
  return Status();
}

Status PackShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalars(context, {1}));
  return SetRows(context, kUnknown, "element_shape");
}

Status UnpackShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 1, 1));
  return FlowShape(context, 2);
}

// An op of one version, which takes a handle of its kind.
class OlderOps {
 public:
  OlderOps(std::string version, std::string handle)
      : version_(std::move(version)), handle_(std::move(handle)) {}

  std::vector<OpDefBuilder> Arrays() const {
    return {
        OpDefBuilder("TensorArray" + version_)
            .Input("size: int32", ArgRole::kCount)
            .Output("handle: " + handle_)
            .Attr("dtype: type")
            .Attr("element_shape: shape = { unknown_rank: true }")
            .Attr("dynamic_size: bool = false")
            .Attr("clear_after_read: bool = true")
            .Attr("tensor_array_name: string = ''")
            .Stateful()
            .Summary("TensorArrayV3 whose handle is two texts.")
            .Shape(TextHandleShape),
        OpDefBuilder("TensorArrayGrad" + version_)
            .Input("handle: string")
            .Input("flow_in: float", ArgRole::kScalar)
            .Output("grad_handle: " + handle_)
            .Attr("source: string")
            .Stateful()
            .Summary("TensorArrayGradV3 whose handles are two texts.")
            .Shape(TextHandleShape),
        Use("Size")
            .Input("flow_in: float", ArgRole::kScalar)
            .Output("size: int32")
            .Shape(SizeShape),
        Use("Close").Shape(shapes::NoOutputs),
    };
  }

  std::vector<OpDefBuilder> Accesses() const {
    return {
        Writer("Write", {"index: int32", "value: T"}).Shape(WriteShape),
        Writer("Scatter", {"indices: int32", "value: T"}).Shape(ScatterShape),
        Writer("Split", {"value: T", "lengths: int64"}).Shape(SplitShape),
        Use("Read")
            .Input("index: int32", ArgRole::kScalar)
            .Input("flow_in: float", ArgRole::kScalar)
            .Output("value: dtype")
            .Attr("dtype: type")
            .Shape(ReadShape),
        Use("Gather")
            .Input("indices: int32", ArgRole::kIndices)
            .Input("flow_in: float", ArgRole::kScalar)
            .Output("value: dtype")
            .Attr("dtype: type")
            .Attr("element_shape: shape = { unknown_rank: true }")
            .Shape(GatherShape),
        Use("Concat")
            .Input("flow_in: float", ArgRole::kScalar)
            .Output("value: dtype")
            .Output("lengths: int64")
            .Attr("dtype: type")
            .Attr("element_shape_except0: shape = { unknown_rank: true }")
            .Shape(ConcatShape),
    };
  }

  // Those of the first version alone.
  std::vector<OpDefBuilder> Packing() const {
    return {
        OpDefBuilder("TensorArrayPack")
            .Input("handle: " + handle_)
            .Input("flow_in: float", ArgRole::kScalar)
            .Output("value: dtype")
            .Attr("dtype: type")
            .Attr("element_shape: shape = { unknown_rank: true }")
            .Summary("All elements, stacked.")
            .Shape(PackShape),
        Writer("Unpack", {"value: T"})
            .Summary("Writes the rows of value, an element each.")
            .Shape(UnpackShape),
    };
  }

 private:
  OpDefBuilder Use(const std::string& what) const {
    return OpDefBuilder("TensorArray" + what + version_)
        .Input("handle: " + handle_)
        .Summary("TensorArray" + what + "V3 whose handle is two texts.");
  }
  OpDefBuilder Writer(const std::string& what, std::initializer_list<const char*> inputs) const {
    OpDefBuilder op = Use(what);
    for (const char* input : inputs) op.Input(input);
    return op.Input("flow_in: float", ArgRole::kScalar).Output("flow_out: float").Attr("T: type");
  }

  const std::string version_;
  const std::string handle_;
};

}  // namespace

Status RegisterTensorArrayOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, ArrayOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, AccessOps()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, JoinedAccessOps()));
  const OlderOps first("", "Ref(string)"), second("V2", "string");
  for (const OlderOps* older : {&first, &second}) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, older->Arrays()));
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, older->Accesses()));
  }
  return RegisterAll(registry, first.Packing());
}

}  // namespace tagflow
