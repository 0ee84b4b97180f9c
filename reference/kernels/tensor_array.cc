// Tested by conformance/ops/tensor_array.ops.

#include "reference/kernels/tensor_array.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"

namespace tagflow::reference {

TensorArray::TensorArray(std::string array_name, const TensorArrayOptions& options, int64_t size)
    : options_(options),
      declared_(options.element_shape),
      first_size_(size),
      elements_(static_cast<size_t>(size)) {
  name = std::move(array_name);
}

Status TensorArray::Error(const std::string& text) const {
  return InvalidArgument("TensorArray " + name + text);
}

Status TensorArray::CheckOpen() const {
  return closed_ ? Error(" has already been closed.") : Status();
}

Status TensorArray::CheckWrite(int64_t index, const Tensor& value) const {
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || (!options_.dynamic_size && index >= size())) {
    return Error(": Tried to write to index " + std::to_string(index) +
                 " but array is not resizeable and size is: " + std::to_string(size()));
  }
  const std::string could_not =
      ": Could not write to TensorArray index " + std::to_string(index) + " because ";
  if (value.dtype() != options_.dtype) {
    return Error(could_not + "the value dtype is " + DTypeName(value.dtype()) +
                 " but TensorArray dtype is " + DTypeName(options_.dtype) + ".");
  }
  if (!options_.element_shape.Accepts(value.dims())) {
    return Error(could_not + "the value shape is " + DimsString(value.dims()) +
                 " which is incompatible with the TensorArray's inferred element shape: " +
                 options_.element_shape.ToString() + " (consider setting infer_shape=False).");
  }
  if (index >= size()) return Status();
  const Element& element = elements_[static_cast<size_t>(index)];
  if (element.read) return Error(could_not + "it has already been read.");
  if (element.written && !options_.is_gradient) {
    return Error(could_not + "it has already been written to.");
  }
  return Status();
}

Status TensorArray::Aggregate(Element& element, int64_t index, const Tensor& value) {
  if (ToDims(value.dims()) != element.dims) {
    return Error(": Could not aggregate to TensorArray index " + std::to_string(index) +
                 " because the existing shape is " + DimsString(element.dims) +
                 " but the new input shape is " + DimsString(value.dims()) + ".");
  }
  if (!element.value.has_value()) {  // zeros
    element.value = value;
    return Status();
  }
  if (!kNumbers.contains(options_.dtype)) {
    return Error(": elements of dtype " + DTypeName(options_.dtype) + " cannot be added up");
  }
  std::vector<int64_t> all(static_cast<size_t>(value.num_elements()));
  std::iota(all.begin(), all.end(), int64_t{0});
  TAGFLOW_ASSIGN_OR_RETURN(element.value,
                           Changed("TensorArrayWriteV3", element.value, all, value, Change::kAdd));
  return Status();
}

Status TensorArray::CheckRoom(int64_t index) const {
  if (index < kMostListElements) return Status();
  return ResourceExhausted("TensorArray " + name + " cannot hold an element " +
                           std::to_string(index) + ": it has at most " +
                           std::to_string(kMostListElements));
}

// What fails has touched what it looked at: another order may have let it pass ([race.1]).
void TensorArray::LogUse(AccessLog& accesses, int64_t index, bool is_write) const {
  if (index >= 0) Log(accesses, ValuePart(index), is_write);
  if (index < 0 || index >= size()) Log(accesses, kSizePart, false);
}

void TensorArray::LogElementShape(AccessLog& accesses, bool is_write) const {
  if (!declared_.fully_known()) Log(accesses, kElementShapePart, is_write);
}

Status TensorArray::Write(int64_t index, const Tensor& value, AccessLog& accesses) {
  LogUse(accesses, index, true);
  LogElementShape(accesses, options_.identical_element_shapes);
  if (index >= 0) Log(accesses, ShapePart(index), true);
  TAGFLOW_RETURN_IF_ERROR(CheckWrite(index, value));
  TAGFLOW_RETURN_IF_ERROR(CheckRoom(index));
  if (index >= size()) Resize(index + 1, accesses);
  if (options_.identical_element_shapes && !options_.element_shape.fully_known()) {
    options_.element_shape = PartialShape(ToDims(value.dims()));
  }
  Element& element = at(index);
  if (element.written) return Aggregate(element, index, value);
  element.value = value;
  element.dims = ToDims(value.dims());
  element.written = true;
  return Status();
}

void TensorArray::Resize(int64_t size, AccessLog& accesses) {
  Log(accesses, kSizePart, true);
  elements_.resize(static_cast<size_t>(size));
}

Status TensorArray::WriteZeros(int64_t index, AccessLog& accesses) {
  LogElementShape(accesses, false);
  const PartialShape& shape = options_.element_shape;
  if (!shape.fully_known()) {
    return Error(": Could not read from TensorArray index " + std::to_string(index) +
                 ".  Furthermore, the element shape is not fully defined: " + shape.ToString() +
                 ".  Nothing was written to this index: write to it first, or set the full "
                 "element_shape of the array, so that zeros can stand for what was not written.");
  }
  if (!kNumbers.contains(options_.dtype) && options_.dtype != DType::kBool) {
    return Error(": nothing was written to index " + std::to_string(index) +
                 ", and there is no zero of dtype " + DTypeName(options_.dtype));
  }
  Log(accesses, ShapePart(index), true);
  // A gradient array may be shorter than its source's reads: what nobody wrote is zero.
  const int64_t old_size = size();
  if (index >= old_size) {
    TAGFLOW_RETURN_IF_ERROR(CheckRoom(index));
    Resize(index + 1, accesses);
  }
  for (int64_t i = std::min(index, old_size); i <= index; ++i) {
    at(i).dims = shape.dims();
    at(i).written = true;
    at(i).filled = true;
  }
  return Status();
}

Result<Tensor> TensorArray::Read(int64_t index, AccessLog& accesses) {
  LogUse(accesses, index, options_.clear_after_read);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || (!options_.is_gradient && index >= size())) {
    return InvalidArgument("Tried to read from index " + std::to_string(index) +
                           " but array size is: " + std::to_string(size()));
  }
  if (index >= size() || !at(index).written) {
    // In another order, before the write of a later one, there might be no such element.
    if (!options_.is_gradient && index >= first_size_) Log(accesses, kSizePart, false);
    TAGFLOW_RETURN_IF_ERROR(WriteZeros(index, accesses));
  }
  Element& element = at(index);
  // In another order this read might have been the one that fills the element.
  if (element.filled) LogElementShape(accesses, false);
  if (element.cleared) {
    return Error(": Could not read index " + std::to_string(index) +
                 " twice because it was cleared after a previous read (perhaps try setting "
                 "clear_after_read = false?).");
  }
  if (!element.value.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(element.value, Tensor::Allocate(options_.dtype, element.dims));
  }
  element.read = true;
  Tensor value = element.value;
  if (options_.clear_after_read) {
    element.value = Tensor();
    element.cleared = true;
  }
  return value;
}

Result<int64_t> TensorArray::Size(AccessLog& accesses) const {
  Log(accesses, kSizePart, false);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  return size();
}

Result<int64_t> TensorArray::ConcatSize(AccessLog& accesses) const {
  if (!options_.is_gradient) return Size(accesses);
  Log(accesses, kSizePart, false);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (split_size_ >= 0) return split_size_;
  return Error(": a gradient array can only be concatenated when its source was split");
}

Status TensorArray::MergeElementShape(const PartialShape& shape, AccessLog& accesses) {
  // What says no more than was declared changes nothing, in no order.
  const Result<PartialShape> narrowed = MergeShapes(declared_, shape);
  if (!narrowed.ok() || !(*narrowed == declared_)) LogElementShape(accesses, true);
  Result<PartialShape> merged = MergeShapes(options_.element_shape, shape);
  if (!merged.ok()) {
    return Error(": Incompatible shapes during merge: " + options_.element_shape.ToString() +
                 " vs. " + shape.ToString());
  }
  options_.element_shape = *std::move(merged);
  return Status();
}

void TensorArray::Close(AccessLog& accesses) {
  Log(accesses, Access::kWhole, true);
  End();
}

void TensorArray::End() {
  closed_ = true;
  // Moved out first: an element may be the last handle to this array.
  auto elements = std::exchange(elements_, {});
  auto gradients = std::exchange(gradients_, {});
}

Result<std::shared_ptr<StepObject>> TensorArray::Gradient(const std::string& source,
                                                          DimsView prepend, Resources& resources,
                                                          AccessLog& accesses) {
  // Also where another firing has made it: in another order this one would.
  Log(accesses, kSizePart, false);
  for (int64_t i = 0; i < size(); ++i) Log(accesses, ShapePart(i), false);
  LogElementShape(accesses, false);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (options_.is_gradient) {
    return Error(" is a gradient array, and such an array has no gradient array of its own");
  }
  if (options_.dynamic_size) Log(accesses, kSizePart, true);
  options_.dynamic_size = false;
  auto found = gradients_.find(source);
  if (found != gradients_.end()) return found->second;

  auto prepended = [&](DimsView dims) {
    Dims all = ToDims(prepend);
    all.insert(all.end(), dims.begin(), dims.end());
    return all;
  };
  TensorArrayOptions options = options_;
  options.is_gradient = true;
  options.clear_after_read = true;
  if (options.element_shape.known_rank()) {
    options.element_shape = PartialShape(prepended(options_.element_shape.dims()));
  }
  auto gradient = std::make_shared<TensorArray>(name + "@" + source, options, size());
  gradient->split_size_ = split_size_;
  for (int64_t i = 0; i < size(); ++i) {
    if (!at(i).written) continue;
    gradient->at(i).written = true;
    gradient->at(i).dims = prepended(at(i).dims);
  }
  return gradients_[source] = resources.Adopt(gradient);
}

}  // namespace tagflow::reference
