// Tested by conformance/ops/tensor_array.ops.
#include "optimized/kernels/tensor_array.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include "graph/limits.h"
#include "optimized/kernels/change.h"
#include "optimized/native/tensor_type.h"

namespace tagflow::optimized {

TensorArray::TensorArray(std::string name, Options options, int64_t size)
    : StepObject(std::move(name)),
      dtype_(options.dtype),
      options_(std::move(options)),
      elements_(static_cast<size_t>(size)) {}

Status TensorArray::Error(const std::string& text) const {
  return InvalidArgument("TensorArray " + name() + text);
}

Status TensorArray::CheckOpen() const {
  return is_closed_ ? Error(" has already been closed.") : Status();
}

Status TensorArray::CheckRoom(int64_t index) const {
  if (index < kMostListElements) return Status();
  return ResourceExhausted("TensorArray " + name() + " cannot hold an element " +
                           std::to_string(index) + ": it has at most " +
                           std::to_string(kMostListElements));
}

DimsView TensorArray::DimsOf(const Element& element) const {
  if (element.value.has_value()) return element.value.dims();
  return shapes_[static_cast<size_t>(element.shape)];
}

int32_t TensorArray::NumberOfShape(DimsView dims) {
  if (shapes_.empty() || !std::ranges::equal(shapes_.back(), dims)) {
    shapes_.emplace_back(dims.begin(), dims.end());
  }
  return static_cast<int32_t>(shapes_.size() - 1);
}

// ---- Writing ----

Status TensorArray::CheckWrite(int64_t index, const Tensor& value) const {
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || (!options_.dynamic_size && index >= size())) {
    return Error(": Tried to write to index " + std::to_string(index) +
                 " but array is not resizeable and size is: " + std::to_string(size()));
  }
  const auto could_not = [&](const std::string& because) {
    return Error(": Could not write to TensorArray index " + std::to_string(index) + " because " +
                 because);
  };
  if (value.dtype() != dtype_) {
    return could_not("the value dtype is " + DTypeName(value.dtype()) +
                     " but TensorArray dtype is " + DTypeName(dtype_) + ".");
  }
  if (!options_.element_shape.Accepts(value.dims())) {
    return could_not("the value shape is " + DimsString(value.dims()) +
                     " which is incompatible with the TensorArray's inferred element shape: " +
                     options_.element_shape.ToString() + " (consider setting infer_shape=False).");
  }
  if (index >= size()) return Status();
  const Element& element = elements_[static_cast<size_t>(index)];
  if (element.is_read) return could_not("it has already been read.");
  if (element.is_written && !options_.is_gradient) {
    return could_not("it has already been written to.");
  }
  return Status();
}

Status TensorArray::Aggregate(Element& element, int64_t index, Tensor value, const AddThere& add) {
  if (!std::ranges::equal(value.dims(), DimsOf(element))) {
    return Error(": Could not aggregate to TensorArray index " + std::to_string(index) +
                 " because the existing shape is " + DimsString(DimsOf(element)) +
                 " but the new input shape is " + DimsString(value.dims()) + ".");
  }
  if (!element.value.has_value()) {  // zeros
    element.value = std::move(value);
    return Status();
  }
  if (!IsNumber(dtype_)) {
    return Error(": elements of dtype " + DTypeName(dtype_) + " cannot be added up");
  }
  const bool is_there = element.value.memory_kind() == MemoryKind::kDevice ||
                        value.memory_kind() == MemoryKind::kDevice;
  if (!is_there) return AddTo(element.value, value);
  TAGFLOW_ASSIGN_OR_RETURN(element.value, add(element.value, value));
  return Status();
}

Status TensorArray::Write(int64_t index, Tensor value, const AddThere& add) {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckWrite(index, value));
  TAGFLOW_RETURN_IF_ERROR(CheckRoom(index));
  if (index >= size()) elements_.resize(static_cast<size_t>(index) + 1);
  if (options_.identical_element_shapes && !options_.element_shape.fully_known()) {
    options_.element_shape = PartialShape(Dims(value.dims().begin(), value.dims().end()));
  }
  Element& element = at(index);
  if (element.is_written) return Aggregate(element, index, std::move(value), add);
  element.value = std::move(value);
  element.is_written = true;
  return Status();
}

// ---- Reading ----

// Lets a read find zeros at an index that was never written. A gradient array may be shorter than
// what is read of it: then all up to the index are zeros.
Status TensorArray::WriteZeros(int64_t index) {
  const PartialShape& shape = options_.element_shape;
  if (!shape.fully_known()) {
    return Error(": Could not read from TensorArray index " + std::to_string(index) +
                 ".  Furthermore, the element shape is not fully defined: " + shape.ToString() +
                 ".  Nothing was written to this index: write to it first, or set the full "
                 "element_shape of the array, so that zeros can stand for what was not written.");
  }
  if (!IsNumber(dtype_) && dtype_ != DType::kBool) {
    return Error(": nothing was written to index " + std::to_string(index) +
                 ", and there is no zero of dtype " + DTypeName(dtype_));
  }
  const int64_t old_size = size();
  if (index >= old_size) {
    TAGFLOW_RETURN_IF_ERROR(CheckRoom(index));
    elements_.resize(static_cast<size_t>(index) + 1);
  }
  const int32_t number = NumberOfShape(shape.dims());
  for (int64_t i = std::min(index, old_size); i <= index; ++i) {
    at(i).shape = number;
    at(i).is_written = true;
  }
  return Status();
}

Result<Tensor> TensorArray::ReadElement(Element& element, int64_t index) {
  if (element.is_cleared) {
    return Error(": Could not read index " + std::to_string(index) +
                 " twice because it was cleared after a previous read (perhaps try setting "
                 "clear_after_read = false?).");
  }
  if (!element.value.has_value()) {
    TAGFLOW_ASSIGN_OR_RETURN(element.value, Tensor::Allocate(dtype_, DimsOf(element)));
  }
  element.is_read = true;
  if (!options_.clear_after_read) return element.value;
  element.shape = NumberOfShape(element.value.dims());  // a gradient array may ask for it
  element.is_cleared = true;
  return std::move(element.value);
}

Result<Tensor> TensorArray::Read(int64_t index) {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (index < 0 || (!options_.is_gradient && index >= size())) {
    return InvalidArgument("Tried to read from index " + std::to_string(index) +
                           " but array size is: " + std::to_string(size()));
  }
  if (index >= size() || !at(index).is_written) TAGFLOW_RETURN_IF_ERROR(WriteZeros(index));
  return ReadElement(at(index), index);
}

// ---- The array as a whole ----

Result<int64_t> TensorArray::Size() const {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  return size();
}

Status TensorArray::CheckUnpack(int64_t count) const {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (count == size() || (options_.dynamic_size && size() < count)) return Status();
  return InvalidArgument("input value must have first dimension equal to the array size (" +
                         std::to_string(count) + " vs. " + std::to_string(size()) + ")");
}

Status TensorArray::CheckScatter(int64_t last) const {
  std::lock_guard lock(mutex_);
  if (options_.dynamic_size) return Status();
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (last < size()) return Status();
  return InvalidArgument("Max scatter index must be < array size (" + std::to_string(last) +
                         " vs. " + std::to_string(size()) + ")");
}

Status TensorArray::CheckSplit(int64_t pieces) const {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (size() == pieces || (options_.dynamic_size && size() <= pieces)) return Status();
  return InvalidArgument("TensorArray's size is not equal to the size of lengths (" +
                         std::to_string(size()) + " vs. " + std::to_string(pieces) +
                         "), and the TensorArray is not marked as dynamically resizeable");
}

void TensorArray::MarkSplit(int64_t pieces) {
  std::lock_guard lock(mutex_);
  if (!options_.is_gradient) split_size_ = pieces;
}

Result<int64_t> TensorArray::ConcatSize() const {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (!options_.is_gradient) return size();
  if (split_size_ >= 0) return split_size_;
  return Error(": a gradient array can only be concatenated when its source was split");
}

Status TensorArray::MergeElementShape(const PartialShape& shape) {
  std::lock_guard lock(mutex_);
  Result<PartialShape> merged = MergeShapes(options_.element_shape, shape);
  if (!merged.ok()) {
    return Error(": Incompatible shapes during merge: " + options_.element_shape.ToString() +
                 " vs. " + shape.ToString());
  }
  options_.element_shape = *std::move(merged);
  return Status();
}

void TensorArray::End() {
  // Destroyed without the lock: an element may be a handle to this array.
  std::vector<Element> elements;
  std::map<std::string, std::shared_ptr<TensorArray>> gradients;
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  elements.swap(elements_);
  gradients.swap(gradients_);
}

Status TensorArray::ChangeValues(const ChangeValue& change) {
  std::lock_guard lock(mutex_);
  for (Element& element : elements_) {
    if (!element.value.has_value()) continue;
    TAGFLOW_ASSIGN_OR_RETURN(element.value, change(element.value));
  }
  return Status();
}

// ---- Machine code ----

// Tensors are read and written where all elements have their shape.
Cells* TensorArray::TryOpen(const TensorType* type) {
  static_assert(sizeof(Element) == sizeof(ArrayCell));
  static_assert(offsetof(ArrayCell, cell) == sizeof(ElementState));
  if (!mutex_.try_lock()) return nullptr;
  const PartialShape& shape = options_.element_shape;
  const Dims dims = type == nullptr ? Dims() : type->dims;
  const bool suits =
      type == nullptr ? shape.Accepts({}) : type->dtype == dtype_ && shape == PartialShape(dims);
  const bool fixes_shape = options_.identical_element_shapes && !shape.fully_known();
  if (is_closed_ || !suits || fixes_shape) {
    mutex_.unlock();
    return nullptr;
  }
  cells_.kind = CellsKind::kArray;
  cells_.header = HeaderOf(dtype_, type);
  cells_.cells = reinterpret_cast<ArrayCell*>(elements_.data());
  cells_.size = size();
  ElementState state{.shape = NumberOfShape(dims), .is_written = true};
  cells_.after_write = std::bit_cast<uint64_t>(state);
  cells_.takes_first = options_.is_gradient ? cells_.after_write : 0;  // zeros, so far
  state.is_read = true;
  state.is_cleared = options_.clear_after_read;
  cells_.after_read = std::bit_cast<uint64_t>(state);
  cells_.header_left = options_.clear_after_read ? 0 : cells_.header;
  cells_.array = this;
  cells_.grow = [](ArrayCells* cells) {
    TensorArray& array = *static_cast<OwnCells*>(cells)->array;
    std::vector<Element>& elements = array.elements_;
    if (!array.options_.dynamic_size || cells->size >= kMostListElements) return false;
    try {
      elements.emplace_back();
    } catch (const std::bad_alloc&) {
      return false;
    }
    cells->cells = reinterpret_cast<ArrayCell*>(elements.data());
    cells->size = static_cast<int64_t>(elements.size());
    return true;
  };
  return &cells_;
}

// ---- Gradient arrays ----

std::shared_ptr<TensorArray> TensorArray::NewGradient(const std::string& source,
                                                      DimsView prepend) const {
  const auto prepended = [&](DimsView dims) {
    Dims all(prepend.begin(), prepend.end());
    all.insert(all.end(), dims.begin(), dims.end());
    return all;
  };
  Options options = options_;
  options.is_gradient = true;
  options.clear_after_read = true;
  if (options.element_shape.known_rank()) {
    options.element_shape = PartialShape(prepended(options_.element_shape.dims()));
  }
  auto gradient = std::make_shared<TensorArray>(name() + "@" + source, std::move(options), size());
  gradient->split_size_ = split_size_;
  for (size_t i = 0; i < elements_.size(); ++i) {
    if (!elements_[i].is_written) continue;
    gradient->elements_[i].is_written = true;
    gradient->elements_[i].shape = gradient->NumberOfShape(prepended(DimsOf(elements_[i])));
  }
  return gradient;
}

Result<std::shared_ptr<TensorArray>> TensorArray::Gradient(const std::string& source,
                                                           DimsView prepend, StepState& step) {
  std::lock_guard lock(mutex_);
  TAGFLOW_RETURN_IF_ERROR(CheckOpen());
  if (options_.is_gradient) {
    return Error(" is a gradient array, and such an array has no gradient array of its own");
  }
  options_.dynamic_size = false;
  std::shared_ptr<TensorArray>& gradient = gradients_[source];
  if (gradient == nullptr) {
    gradient = NewGradient(source, prepend);
    step.Adopt(gradient);
  }
  return gradient;
}

}  // namespace tagflow::optimized
