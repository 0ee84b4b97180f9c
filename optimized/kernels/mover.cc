#include "optimized/kernels/mover.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

#include "graph/variant.h"

namespace tagflow::optimized {
namespace {

struct Wide {
  uint64_t halves[2];
};

// Loads and stores of plain elements go through memcpy: the bytes may be of any type.
template <typename T>
T Load(const T* from) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  } else {
    return *from;
  }
}
template <typename T>
void Assign(T* to, const T& value) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(static_cast<void*>(to), &value, sizeof(T));
  } else {
    *to = value;
  }
}

template <typename T>
void Run(const void* from, void* to, int64_t count) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
  } else {
    std::copy_n(static_cast<const T*>(from), count, static_cast<T*>(to));
  }
}

template <typename T>
void Strided(const void* from, int64_t from_step, void* to, int64_t to_step, int64_t count) {
  const T* source = static_cast<const T*>(from);
  T* target = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) Assign(target + i * to_step, Load(source + i * from_step));
}

template <typename T>
void Fill(const void* value, void* to, int64_t count) {
  const T element = Load(static_cast<const T*>(value));
  T* target = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) Assign(target + i, element);
}

template <typename T>
void Pick(const void* from, const int64_t* places, void* to, int64_t count) {
  const T* source = static_cast<const T*>(from);
  T* target = static_cast<T*>(to);
  for (int64_t i = 0; i < count; ++i) Assign(target + i, Load(source + places[i]));
}

template <typename T>
constexpr Mover kMover = {sizeof(T), Run<T>, Strided<T>, Fill<T>, Pick<T>};

}  // namespace

const Mover& MoverOf(DType dtype) {
  if (dtype == DType::kString) return kMover<std::string>;
  if (dtype == DType::kResource) return kMover<ResourceHandle>;
  if (dtype == DType::kVariant) return kMover<Variant>;
  switch (DTypeSize(dtype)) {
    case 1:
      return kMover<uint8_t>;
    case 2:
      return kMover<uint16_t>;
    case 4:
      return kMover<uint32_t>;
    case 8:
      return kMover<uint64_t>;
    default:
      return kMover<Wide>;
  }
}

}  // namespace tagflow::optimized
