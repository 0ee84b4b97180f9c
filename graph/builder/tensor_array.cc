#include "graph/builder/tensor_array.h"

#include "graph/builder/array_ops.h"

namespace tagflow {

TensorArray::TensorArray(const Scope& scope, const Input& size, DType dtype,
                         const TensorArrayOptions& options)
    : dtype_(dtype), element_shape_(options.element_shape) {
  const Operation array = Op(scope.data().op_name.empty() ? scope.WithOpName(options.name) : scope,
                             "TensorArrayV3", {size},
                             {{"dtype", dtype},
                              {"element_shape", options.element_shape},
                              {"dynamic_size", options.dynamic_size},
                              {"clear_after_read", options.clear_after_read},
                              {"identical_element_shapes", options.identical_element_shapes},
                              {"tensor_array_name", options.name}});
  handle_ = array[0];
  flow_ = array[1];
}

TensorArray::TensorArray(Output handle, Output flow, DType dtype, PartialShape element_shape)
    : handle_(std::move(handle)),
      flow_(std::move(flow)),
      dtype_(dtype),
      element_shape_(std::move(element_shape)) {}

TensorArray TensorArray::WithFlow(const Output& flow) const {
  return TensorArray(handle_, flow, dtype_, element_shape_);
}

TensorArray TensorArray::Write(const Scope& scope, const Input& index, const Input& value) const {
  return WithFlow(Op(scope, "TensorArrayWriteV3", {handle_, index, value, flow_}, {{"T", dtype_}}));
}

Output TensorArray::Read(const Scope& scope, const Input& index) const {
  const Output value = Op(scope, "TensorArrayReadV3", {handle_, index, flow_}, {{"dtype", dtype_}});
  scope.SetShape(value, element_shape_);
  return value;
}

TensorArray TensorArray::Unstack(const Scope& scope, const Input& value) const {
  const Output indices = Range(scope, 0, ElementAt(scope, tagflow::Shape(scope, value), 0), 1);
  return Scatter(scope, indices, value);
}

TensorArray TensorArray::Scatter(const Scope& scope, const Input& indices,
                                 const Input& value) const {
  return WithFlow(
      Op(scope, "TensorArrayScatterV3", {handle_, indices, value, flow_}, {{"T", dtype_}}));
}

Output TensorArray::Gather(const Scope& scope) const {
  return Gather(scope, Range(scope, 0, Size(scope), 1));
}

Output TensorArray::Gather(const Scope& scope, const Input& indices) const {
  return Op(scope, "TensorArrayGatherV3", {handle_, indices, flow_},
            {{"dtype", dtype_}, {"element_shape", element_shape_}});
}

Output TensorArray::Concat(const Scope& scope) const {
  PartialShape except0;
  if (element_shape_.known_rank() && element_shape_.rank() > 0) {
    except0 = PartialShape(Dims(element_shape_.dims().begin() + 1, element_shape_.dims().end()));
  }
  return Op(scope, "TensorArrayConcatV3", {handle_, flow_},
            {{"dtype", dtype_}, {"element_shape_except0", except0}});
}

TensorArray TensorArray::Split(const Scope& scope, const Input& value, const Input& lengths) const {
  return WithFlow(
      Op(scope, "TensorArraySplitV3", {handle_, value, lengths, flow_}, {{"T", dtype_}}));
}

Output TensorArray::Size(const Scope& scope) const {
  return Op(scope, "TensorArraySizeV3", {handle_, flow_});
}

Operation TensorArray::Close(const Scope& scope) const {
  return Op(scope, "TensorArrayCloseV3", {handle_});
}

TensorArray TensorArray::Gradient(const Scope& scope, std::string_view source) const {
  const Operation grad =
      Op(scope, "TensorArrayGradV3", {handle_, flow_}, {{"source", std::string(source)}});
  return TensorArray(grad[0], grad[1], dtype_, element_shape_);
}

}  // namespace tagflow
