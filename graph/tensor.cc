#include "graph/tensor.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <optional>

#include "graph/host_blocks.h"
#include "graph/host_memory.h"
#include "graph/limits.h"
#include "graph/machine_memory.h"

namespace tagflow {
namespace {

std::atomic<size_t>& SetLimit() {
  static std::atomic<size_t> limit{0};
  return limit;
}

std::atomic<HostMemoryWatch*>& Watch() {
  static std::atomic<HostMemoryWatch*> watch{nullptr};
  return watch;
}

// Whether a tensor's elements are more than the host gives at once.
bool IsTooMuch(size_t bytes) {
  static const size_t memory = MachineMemoryBytes();
  const size_t limit = SetLimit().load(std::memory_order_relaxed);
  return bytes > (limit == 0 ? memory : limit);
}

// A block for elements of so many bytes behind a header; null where the host has no memory for
// them.
void* TakeElements(size_t header, size_t bytes) {
  if (IsTooMuch(bytes)) return nullptr;
  HostMemoryWatch* const watch = Watch().load(std::memory_order_acquire);
  if (watch != nullptr && !watch->Allocates(bytes)) return nullptr;
  return TakeBlock(header + bytes);
}
void GiveElements(void* block, size_t header, size_t bytes) {
  GiveBlock(block, header + bytes);
  HostMemoryWatch* const watch = Watch().load(std::memory_order_acquire);
  if (watch != nullptr) watch->Frees(bytes);
}

class HostMemory : public Allocator {
 public:
  void* Allocate(size_t bytes) override { return TakeElements(0, bytes); }
  void Deallocate(void* pointer, size_t bytes) override { GiveElements(pointer, 0, bytes); }
};

// Keeps the owner of borrowed elements until they are given back.
class Loan : public Allocator {
 public:
  explicit Loan(std::shared_ptr<const void> owner) : owner_(std::move(owner)) {}
  void* Allocate(size_t) override { return nullptr; }
  void Deallocate(void*, size_t) override { delete this; }

 private:
  const std::shared_ptr<const void> owner_;
};

// The product of dims; nothing where NumElements has an error.
std::optional<int64_t> ProductOf(DimsView dims) {
  if (dims.size() > kMostDimensions) return std::nullopt;
  int64_t product = 1;
  for (const int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

// How many DeviceAccess live on this thread (device_access.h).
thread_local int device_access = 0;

bool FitsInline(DType dtype, DimsView dims) {
  return dims.empty() && IsPlainDType(dtype) && DTypeSize(dtype) <= 8;
}

template <typename T>
void ConstructAll(void* data, int64_t count) {
  std::uninitialized_value_construct_n(static_cast<T*>(data), count);
}

void ConstructElements(DType dtype, void* data, int64_t count) {
  switch (dtype) {
    case DType::kString:
      return ConstructAll<std::string>(data, count);
    case DType::kResource:
      return ConstructAll<ResourceHandle>(data, count);
    case DType::kVariant:
      return ConstructAll<Variant>(data, count);
    default:
      std::memset(data, 0, static_cast<size_t>(count) * DTypeSize(dtype));
  }
}

void DestroyElements(DType dtype, void* data, int64_t count) {
  switch (dtype) {
    case DType::kString:
      std::destroy_n(static_cast<std::string*>(data), count);
      return;
    case DType::kResource:
      std::destroy_n(static_cast<ResourceHandle*>(data), count);
      return;
    case DType::kVariant:
      std::destroy_n(static_cast<Variant*>(data), count);
      return;
    default:
      return;
  }
}

}  // namespace

void OpenDeviceAccess() { ++device_access; }
void CloseDeviceAccess() { --device_access; }

Status Allocator::Read(const Tensor& tensor, void* to) const {
  std::memcpy(to, tensor.raw_data(), tensor.byte_size());
  return Status();
}

Allocator& HostAllocator() {
  static HostMemory& memory =
      *new HostMemory;  // never destroyed: tensors in static storage may outlive main
  return memory;
}

size_t LimitHostAllocations(size_t bytes) { return SetLimit().exchange(bytes); }

HostMemoryWatch* WatchHostMemory(HostMemoryWatch* watch) { return Watch().exchange(watch); }

struct Tensor::Buffer {
  std::atomic<int64_t> references{1};
  Allocator* allocator = nullptr;  // null for a view
  Buffer* viewed = nullptr;        // what a view keeps alive
  void* data = nullptr;
  int64_t elements = 0;
  int rank = 0;
  MemoryKind memory_kind = MemoryKind::kHost;
  bool holds_data = false;  // behind the header, in one block: what the host's allocator gives
  bool is_borrowed = false;
  int64_t* dims() { return reinterpret_cast<int64_t*>(this + 1); }

  // A header at the beginning of `block`, whose data is still to be set.
  static Buffer* In(void* block, DimsView dims, int64_t elements);
  // A header and its data; null when there is no memory for them.
  static Buffer* WithData(DimsView dims, int64_t elements, size_t bytes, Allocator& allocator);

  // Bytes from the header's beginning to data behind it, which are aligned as the header is.
  static size_t HeaderBytes(size_t rank) {
    return (sizeof(Buffer) + rank * sizeof(int64_t) + 63) / 64 * 64;
  }
  size_t header_bytes() const { return HeaderBytes(static_cast<size_t>(rank)); }
  size_t data_bytes(DType dtype) const { return static_cast<size_t>(elements) * DTypeSize(dtype); }
};

Result<int64_t> NumElements(DimsView dims) {
  if (dims.size() > kMostDimensions) {
    return InvalidArgument("a tensor has at most " + std::to_string(kMostDimensions) +
                           " dimensions, and this shape has " + std::to_string(dims.size()));
  }
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("shape " + DimsString(dims) + " has a negative dimension");
    if (__builtin_mul_overflow(elements, dim, &elements)) {
      return InvalidArgument("shape " + DimsString(dims) + " has more than 2^63 - 1 elements");
    }
  }
  return elements;
}

std::string DimsString(DimsView dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  return text + "]";
}

void Tensor::Ref() { buffer()->references.fetch_add(1, std::memory_order_relaxed); }

void Tensor::Unref(Buffer* buffer, DType dtype) {
  // acq_rel: the last owner must see the others' writes before it frees the elements.
  if (buffer->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const size_t header = buffer->header_bytes();
  const size_t bytes = buffer->data_bytes(dtype);
  const bool holds_data = buffer->holds_data;
  if (buffer->viewed != nullptr) {
    Unref(buffer->viewed, dtype);
  } else {
    DestroyElements(dtype, buffer->data, buffer->elements);
    if (!holds_data) buffer->allocator->Deallocate(buffer->data, bytes);
  }
  buffer->~Buffer();
  GiveElements(buffer, header, holds_data ? bytes : 0);
}

Tensor Tensor::FromBuffer(Buffer* buffer, DType dtype) {
  Tensor tensor;
  tensor.payload_ = std::bit_cast<Payload>(buffer);
  tensor.dtype_ = dtype;
  tensor.in_buffer_ = true;
  return tensor;
}

Tensor::Buffer* Tensor::NewBuffer(DimsView dims, int64_t elements) {
  void* const block = TakeElements(Buffer::HeaderBytes(dims.size()), 0);
  return block == nullptr ? nullptr : Buffer::In(block, dims, elements);
}

Tensor::Buffer* Tensor::Buffer::In(void* block, DimsView dims, int64_t elements) {
  Buffer* buffer = new (block) Buffer;
  buffer->elements = elements;
  buffer->rank = static_cast<int>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) buffer->dims()[i] = dims[i];
  return buffer;
}

Tensor::Buffer* Tensor::Buffer::WithData(DimsView dims, int64_t elements, size_t bytes,
                                         Allocator& allocator) {
  Buffer* buffer = nullptr;
  if (&allocator == &HostAllocator()) {
    const size_t header = HeaderBytes(dims.size());
    void* block = TakeElements(header, bytes);
    if (block == nullptr) return nullptr;
    buffer = In(block, dims, elements);
    buffer->data = static_cast<char*>(block) + header;
    buffer->holds_data = true;
  } else {
    buffer = NewBuffer(dims, elements);
    if (buffer == nullptr) return nullptr;
    buffer->data = allocator.Allocate(bytes == 0 ? 1 : bytes);
    if (buffer->data == nullptr) {
      GiveElements(buffer, buffer->header_bytes(), 0);
      return nullptr;
    }
    buffer->memory_kind = allocator.memory_kind();
  }
  buffer->allocator = &allocator;
  return buffer;
}

Result<Tensor> Tensor::Allocate(DType dtype, DimsView dims, Allocator& allocator) {
  return Allocate(dtype, dims, allocator, Contents::kZero);
}

Result<Tensor> Tensor::AllocateUninitialized(DType dtype, DimsView dims, Allocator& allocator) {
  return Allocate(dtype, dims, allocator, Contents::kLeft);
}

Result<Tensor> Tensor::Borrow(DType dtype, DimsView dims, const void* elements,
                              std::shared_ptr<const void> owner) {
  TAGFLOW_CHECK(IsPlainDType(dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, NumElements(dims));
  if (FitsInline(dtype, dims)) {
    Tensor tensor;
    tensor.dtype_ = dtype;
    std::memcpy(tensor.payload_.bytes, elements, DTypeSize(dtype));
    return tensor;
  }
  Buffer* const buffer = NewBuffer(dims, count);
  if (buffer == nullptr) return ResourceExhausted("no memory for a tensor's header");
  buffer->allocator = new Loan(std::move(owner));
  buffer->data = const_cast<void*>(elements);
  buffer->is_borrowed = true;
  return FromBuffer(buffer, dtype);
}

Tensor Tensor::AllocateOrThrow(DType dtype, DimsView dims) {
  Result<Tensor> tensor = Allocate(dtype, dims);
  if (!tensor.ok() && tensor.status().code() == Code::kResourceExhausted) throw std::bad_alloc();
  return *std::move(tensor);
}

Result<Tensor> Tensor::Allocate(DType dtype, DimsView dims, Allocator& allocator,
                                Contents contents) {
  if (!IsTensorDType(dtype)) {
    return Unimplemented("there are no tensors of dtype " + DTypeName(dtype));
  }
  const std::optional<int64_t> product = ProductOf(dims);
  if (!product) return NumElements(dims).status();
  const int64_t elements = *product;
  if (FitsInline(dtype, dims) && allocator.memory_kind() == MemoryKind::kHost) {
    Tensor tensor;
    tensor.dtype_ = dtype;
    return tensor;
  }
  int64_t bytes;
  Buffer* buffer = nullptr;
  if (!__builtin_mul_overflow(elements, static_cast<int64_t>(DTypeSize(dtype)), &bytes)) {
    buffer = Buffer::WithData(dims, elements, static_cast<size_t>(bytes), allocator);
  }
  if (buffer == nullptr) {
    return ResourceExhausted("no memory for a tensor of dtype " + DTypeName(dtype) + " and shape " +
                             DimsString(dims));
  }
  const bool is_left = contents == Contents::kLeft && IsPlainDType(dtype);
  if (allocator.memory_kind() != MemoryKind::kDevice && !is_left) {
    ConstructElements(dtype, buffer->data, elements);
  }
  return FromBuffer(buffer, dtype);
}

DimsView Tensor::buffer_dims() const {
  return {buffer()->dims(), static_cast<size_t>(buffer()->rank)};
}

int64_t Tensor::buffer_elements() const { return buffer()->elements; }

MemoryKind Tensor::memory_kind() const {
  return in_buffer_ ? buffer()->memory_kind : MemoryKind::kHost;
}

const void* Tensor::buffer_data() const {
  TAGFLOW_CHECK(buffer()->memory_kind != MemoryKind::kDevice || device_access > 0);
  return buffer()->data;
}

bool Tensor::unique() const {
  if (!in_buffer_) return true;
  for (const Buffer* b = buffer(); b != nullptr; b = b->viewed) {
    if (b->is_borrowed || b->references.load(std::memory_order_acquire) != 1) return false;
  }
  return true;
}

bool Tensor::is_borrowed() const {
  if (!in_buffer_) return false;
  const Buffer* const owner = buffer()->viewed != nullptr ? buffer()->viewed : buffer();
  return owner->is_borrowed;
}

Result<Tensor> Tensor::Clone() const {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor copy, Allocate(dtype_, dims()));
  const int64_t count = num_elements();
  switch (dtype_) {
    case DType::kString:
      std::copy_n(data<std::string>(), count, copy.mutable_data<std::string>());
      break;
    case DType::kResource:
      std::copy_n(data<ResourceHandle>(), count, copy.mutable_data<ResourceHandle>());
      break;
    case DType::kVariant:
      std::copy_n(data<Variant>(), count, copy.mutable_data<Variant>());
      break;
    default:
      std::memcpy(copy.mutable_raw_data(), raw_data(), byte_size());
  }
  return copy;
}

Result<Tensor> Tensor::OnHost() const {
  if (memory_kind() != MemoryKind::kDevice) return *this;
  const Buffer* const owner = buffer()->viewed != nullptr ? buffer()->viewed : buffer();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor copy, AllocateUninitialized(dtype_, dims()));
  TAGFLOW_RETURN_IF_ERROR(owner->allocator->Read(*this, copy.mutable_raw_data()));
  return copy;
}

Tensor Tensor::View(DimsView dims, int64_t elements, int64_t offset_elements) const {
  // A view of a view looks into the owner, so that chains stay one link long.
  Buffer* owner = buffer()->viewed != nullptr ? buffer()->viewed : buffer();
  Buffer* view = NewBuffer(dims, elements);
  if (view == nullptr) throw std::bad_alloc();
  owner->references.fetch_add(1, std::memory_order_relaxed);
  view->viewed = owner;
  view->memory_kind = owner->memory_kind;
  view->data = static_cast<char*>(buffer()->data) +
               offset_elements * static_cast<int64_t>(DTypeSize(dtype_));
  return FromBuffer(view, dtype_);
}

Tensor Tensor::Reshaped(DimsView dims) const {
  Result<int64_t> elements = NumElements(dims);
  TAGFLOW_CHECK(elements.ok() && *elements == num_elements());
  if (in_buffer_ && FitsInline(dtype_, dims) && memory_kind() == MemoryKind::kHost) {
    Tensor tensor;
    tensor.dtype_ = dtype_;
    std::memcpy(tensor.payload_.bytes, raw_data(), DTypeSize(dtype_));
    return tensor;
  }
  if (in_buffer_) return View(dims, *elements, 0);
  if (dims.empty()) return *this;
  Tensor tensor = AllocateOrThrow(dtype_, dims);
  std::memcpy(tensor.mutable_raw_data(), raw_data(), DTypeSize(dtype_));
  return tensor;
}

Tensor Tensor::SliceOuter(int64_t begin, int64_t count) const {
  TAGFLOW_CHECK(rank() >= 1 && begin >= 0 && count >= 0 && begin + count <= dim(0));
  Dims sliced(dims().begin(), dims().end());
  const int64_t row = sliced[0] == 0 ? 0 : num_elements() / sliced[0];
  sliced[0] = count;
  return View(sliced, row * count, row * begin);
}

}  // namespace tagflow
