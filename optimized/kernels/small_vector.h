#ifndef TAGFLOW_OPTIMIZED_KERNELS_SMALL_VECTOR_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SMALL_VECTOR_H_

// A vector whose first elements need no heap: dims, strides and the few numbers of an index input,
// which kernels put together at each firing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "graph/tensor.h"

namespace tagflow::optimized {

template <typename T, size_t kInline = 8>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() {}  // NOLINT: the room stays as it is
  explicit SmallVector(std::span<const T> values) { assign(values); }
  SmallVector(size_t size, T value) { resize(size, value); }
  SmallVector(const SmallVector& other) { assign(other); }
  SmallVector(SmallVector&& other) noexcept {
    if (other.data_ != other.room_) {
      data_ = std::exchange(other.data_, other.room_);
      capacity_ = std::exchange(other.capacity_, kInline);
      size_ = std::exchange(other.size_, 0);
    } else {
      size_ = std::min(other.size_, kInline);  // it is no more: said for the compiler
      std::copy_n(other.room_, size_, room_);
    }
  }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      this->~SmallVector();
      new (this) SmallVector(std::move(other));
    }
    return *this;
  }
  ~SmallVector() {
    if (data_ != room_) delete[] data_;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  operator std::span<const T>() const { return {data_, size_}; }  // NOLINT: it is one

  void clear() { size_ = 0; }
  void push_back(T value) {
    if (size_ == capacity_) Grow(2 * capacity_);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void resize(size_t size, T value = T()) {
    if (size > capacity_) Grow(size);
    if (size > size_) std::fill(data_ + size_, data_ + size, value);
    size_ = size;
  }
  // REQUIRES: the values are not this vector's.
  void assign(std::span<const T> values) {
    if (values.size() > capacity_) Grow(values.size());
    std::copy(values.begin(), values.end(), data_);
    size_ = values.size();
  }
  void append(std::span<const T> values) {
    for (const T& value : values) push_back(value);
  }
  void insert(size_t i, T value) {
    push_back(value);
    std::rotate(data_ + i, data_ + size_ - 1, data_ + size_);
  }
  void erase(size_t i) {
    std::copy(data_ + i + 1, data_ + size_, data_ + i);
    --size_;
  }

 private:
  void Grow(size_t capacity) {
    T* grown = new T[capacity];
    std::copy(data_, data_ + size_, grown);
    if (data_ != room_) delete[] data_;
    data_ = grown;
    capacity_ = capacity;
  }

  T* data_ = room_;
  size_t size_ = 0;
  size_t capacity_ = kInline;
  T room_[kInline];
};

using SmallDims = SmallVector<int64_t>;

inline bool SameDims(DimsView a, DimsView b) { return std::ranges::equal(a, b); }

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SMALL_VECTOR_H_
