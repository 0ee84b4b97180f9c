#ifndef TAGFLOW_GRAPH_TENSOR_H_
#define TAGFLOW_GRAPH_TENSOR_H_

// Tensor: a typed, shaped, reference-counted value of 16 bytes.
//
// Invariants:
//   1. An element of rank 0 whose dtype is plain and at most 8 bytes is stored inline: no heap.
//   2. Anything else is an intrusive Buffer: count, allocator, memory kind, device, dims, 64-byte
//   aligned data.
//   3. A view (Reshaped, SliceOuter) is a Buffer header of its own that keeps the Buffer it looks
//   into alive.
//   4. data<T>() and flat<T>() refuse memory that is not the host's, and a T that is not the dtype
//   (both are bugs of
//      ours, hence checks).
// Thread safety: like a shared_ptr: distinct Tensor objects may share a buffer across threads;
// writing through one needs unique().

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/variant.h"

namespace tagflow {

using Dims = std::vector<int64_t>;
using DimsView = std::span<const int64_t>;

class Tensor;

enum class MemoryKind : uint8_t { kHost, kPinned, kDevice };

// Where buffers come from. Implementations are thread-safe.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // `bytes` bytes aligned to 64, or null when there are none to be had.
  virtual void* Allocate(size_t bytes) = 0;
  virtual void Deallocate(void* pointer, size_t bytes) = 0;
  virtual MemoryKind memory_kind() const { return MemoryKind::kHost; }
  // Copies all elements of a tensor in this memory to the host's, and waits for what makes them.
  //   Errors: of a device
  virtual Status Read(const Tensor& tensor, void* to) const;
  virtual int device() const { return 0; }  // index within its memory kind
};
Allocator& HostAllocator();  // refuses more than the machine's memory

// Number of elements of a shape; INVALID_ARGUMENT for a negative dimension, or when it overflows
// int64.
Result<int64_t> NumElements(DimsView dims);
std::string DimsString(DimsView dims);  // "[2,3]"

class Tensor {
 public:
  Tensor() = default;  // no value: dtype kInvalid
  Tensor(const Tensor& other)
      : payload_(other.payload_), dtype_(other.dtype_), in_buffer_(other.in_buffer_) {
    if (in_buffer_) Ref();
  }
  Tensor(Tensor&& other) noexcept
      : payload_(std::exchange(other.payload_, {})),
        dtype_(std::exchange(other.dtype_, DType::kInvalid)),
        in_buffer_(std::exchange(other.in_buffer_, false)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(payload_, other.payload_);
    std::swap(dtype_, other.dtype_);
    std::swap(in_buffer_, other.in_buffer_);
    return *this;
  }
  ~Tensor() { Release(); }

  // Elements of plain dtypes are zero, others default-constructed.
  //   Errors: INVALID_ARGUMENT (negative or overflowing dims), RESOURCE_EXHAUSTED.
  // REQUIRES: IsTensorDType(dtype)
  static Result<Tensor> Allocate(DType dtype, DimsView dims,
                                 Allocator& allocator = HostAllocator());

  // As Allocate, with the elements of plain dtypes left as the memory comes: for who writes them
  // all.
  static Result<Tensor> AllocateUninitialized(DType dtype, DimsView dims,
                                              Allocator& allocator = HostAllocator());

  // A tensor over `elements` where they lie, in memory that `owner` keeps: they are not copied, but
  // those of a scalar of at most 8 bytes are. They are aligned as their type asks, stay as they are
  // while the tensor lives, and nobody writes through it: unique() is false.
  //   Errors: as Allocate
  // REQUIRES: IsPlainDType(dtype)
  static Result<Tensor> Borrow(DType dtype, DimsView dims, const void* elements,
                               std::shared_ptr<const void> owner);

  // Tensors of given values. std::bad_alloc where there is no memory for the elements.
  template <typename T>
  static Tensor Scalar(T value);
  // REQUIRES: values.size() is the number of elements of dims.
  template <typename T>
  static Tensor Of(DimsView dims, std::span<const T> values);
  template <typename T>
  static Tensor Vector(const std::vector<T>& values);

  bool has_value() const { return dtype_ != DType::kInvalid; }
  // Whether the element, if there is one, is held in these 16 bytes: a plain scalar, no heap.
  bool is_inline() const { return !in_buffer_; }
  // The element. REQUIRES: is_inline(), and a value of T's dtype
  template <typename T>
  T inline_value() const {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, payload_.bytes, sizeof(T));
    return value;
  }
  // Becomes the scalar `value`, whatever it was before.
  template <typename T>
  void SetScalar(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    if (in_buffer_) [[unlikely]]
      Release();
    in_buffer_ = false;
    dtype_ = DTypeOf<T>::value;
    std::memcpy(payload_.bytes, &value, sizeof(T));
  }
  DType dtype() const { return dtype_; }
  DimsView dims() const { return in_buffer_ ? buffer_dims() : DimsView(); }
  int rank() const { return static_cast<int>(dims().size()); }
  int64_t dim(int i) const { return dims()[i]; }
  int64_t num_elements() const { return in_buffer_ ? buffer_elements() : 1; }
  size_t byte_size() const { return static_cast<size_t>(num_elements()) * DTypeSize(dtype_); }
  MemoryKind memory_kind() const;

  // The elements in row-major order.
  template <typename T>
  const T* data() const {
    TAGFLOW_CHECK(dtype_ == DTypeOf<T>::value);
    return static_cast<const T*>(raw_data());
  }
  template <typename T>
  T* mutable_data() {
    TAGFLOW_CHECK(dtype_ == DTypeOf<T>::value);
    return static_cast<T*>(mutable_raw_data());
  }
  template <typename T>
  std::span<const T> flat() const {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  std::span<T> mutable_flat() {
    return {mutable_data<T>(), static_cast<size_t>(num_elements())};
  }
  template <typename T>
  const T& scalar() const {  // REQUIRES: one element
    TAGFLOW_CHECK(num_elements() == 1);
    return *data<T>();
  }
  // REQUIRES: host memory
  const void* raw_data() const { return in_buffer_ ? buffer_data() : payload_.bytes; }
  void* mutable_raw_data() { return const_cast<void*>(raw_data()); }

  // Whether writing through this Tensor can be seen by no other: the buffer (and what it views) has
  // one owner, who has not borrowed it.
  bool unique() const;
  // Whether the elements are in memory that was lent (Borrow).
  bool is_borrowed() const;
  // A tensor with the same elements that is unique().
  Result<Tensor> Clone() const;
  // The same elements where the host reads them: this tensor, or, of one on a device, a copy.
  //   Errors: RESOURCE_EXHAUSTED; of the device
  Result<Tensor> OnHost() const;

  // The same elements under other dims, shared. std::bad_alloc where there is no memory for what
  // describes them. REQUIRES: equal number of elements.
  Tensor Reshaped(DimsView dims) const;
  // Rows [begin, begin+count) of the outermost dimension, shared; else as Reshaped. REQUIRES:
  // rank() >= 1 and the range is inside.
  Tensor SliceOuter(int64_t begin, int64_t count) const;

  // "float[2,2] [[1, 2], [3, 4]]", elided after `max_elements`.
  std::string DebugString(int max_elements = 16) const;

 private:
  struct Buffer;
  Buffer* buffer() const { return std::bit_cast<Buffer*>(payload_); }
  DimsView buffer_dims() const;
  int64_t buffer_elements() const;
  const void* buffer_data() const;
  static Tensor FromBuffer(Buffer* buffer, DType dtype);
  static Buffer* NewBuffer(DimsView dims, int64_t elements);  // null: no memory for it
  Tensor View(DimsView dims, int64_t elements, int64_t offset_elements) const;
  enum class Contents { kZero, kLeft };
  static Result<Tensor> Allocate(DType dtype, DimsView dims, Allocator& allocator,
                                 Contents contents);
  // As Allocate; std::bad_alloc where there is no memory. REQUIRES: the dims are valid
  static Tensor AllocateOrThrow(DType dtype, DimsView dims);
  void Ref();
  void Release() {
    if (in_buffer_) Unref(buffer(), dtype_);
  }
  static void Unref(Buffer* buffer, DType dtype);

  // The element itself, or a Buffer*. Bytes, and not an integer: elements are written through
  // pointers to their own type, and a compiler may take such a write past a move of an integer.
  struct Payload {
    alignas(8) unsigned char bytes[8] = {};
  };
  Payload payload_;
  DType dtype_ = DType::kInvalid;
  bool in_buffer_ = false;
};
static_assert(sizeof(Tensor) == 16);

// Same dtype, dims and elements; floating elements compared bit for bit but with NaN equal to NaN.
// Handles and variants are equal when they are the same object.
bool BitwiseEqual(const Tensor& a, const Tensor& b);

template <typename T>
Tensor Tensor::Scalar(T value) {
  Tensor tensor;
  if constexpr (sizeof(T) <= 8 && std::is_trivially_copyable_v<T>) {
    tensor.dtype_ = DTypeOf<T>::value;
    std::memcpy(tensor.payload_.bytes, &value, sizeof(T));
  } else {
    tensor = AllocateOrThrow(DTypeOf<T>::value, {});
    *tensor.mutable_data<T>() = std::move(value);
  }
  return tensor;
}

template <typename T>
Tensor Tensor::Of(DimsView dims, std::span<const T> values) {
  Tensor tensor = AllocateOrThrow(DTypeOf<T>::value, dims);
  TAGFLOW_CHECK(tensor.num_elements() == static_cast<int64_t>(values.size()));
  T* out = tensor.mutable_data<T>();
  for (const T& value : values) *out++ = value;
  return tensor;
}

template <typename T>
Tensor Tensor::Vector(const std::vector<T>& values) {
  Tensor tensor = AllocateOrThrow(DTypeOf<T>::value, Dims{static_cast<int64_t>(values.size())});
  T* out = tensor.mutable_data<T>();
  for (const T& value : values) *out++ = value;
  return tensor;
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_TENSOR_H_
