#ifndef TAGFLOW_OPTIMIZED_KERNELS_COMPUTING_H_
#define TAGFLOW_OPTIMIZED_KERNELS_COMPUTING_H_

// Kernels that look at all of a tensor's elements at once (sorting, grouping, searching) are
// compiled for the computing types of numbers.h: they see the elements where they lie if their
// dtype is computed as it is, and else a widened copy.

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/formulas/numbers.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/widening.h"

namespace tagflow::optimized {

template <typename C>
struct Computing {
  using Type = C;
};

// Calls choose(Computing<C>()) with the computing type of the dtype, std::string for strings: for
// binders that choose among instances of a function.
// REQUIRES: a number, bool or string
template <typename F>
auto ForComputingType(DType dtype, F choose) {
  switch (dtype) {
    case DType::kBool:
      return choose(Computing<bool>());
    case DType::kInt32:
      return choose(Computing<int32_t>());
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt64:
      return choose(Computing<int64_t>());
    case DType::kHalf:
      return choose(Computing<RoundedHalf>());
    case DType::kBFloat16:
      return choose(Computing<RoundedBFloat16>());
    case DType::kFloat:
      return choose(Computing<float>());
    case DType::kDouble:
      return choose(Computing<double>());
    case DType::kComplex64:
      return choose(Computing<std::complex<float>>());
    case DType::kComplex128:
      return choose(Computing<std::complex<double>>());
    case DType::kString:
      return choose(Computing<std::string>());
    default:
      return choose(Computing<uint64_t>());
  }
}

// The same with the widest type of the dtype's kind (widening.h). REQUIRES: a number or bool
template <typename F>
auto ForWidestType(DType dtype, F choose) {
  if (IsComplex(dtype)) return choose(Computing<std::complex<double>>());
  if (IsFloating(dtype)) return choose(Computing<double>());
  if (Contains(kUnsigned, dtype)) return choose(Computing<uint64_t>());
  return choose(Computing<int64_t>());
}

// The first element of a tensor, as C. REQUIRES: there is one, and C is its computing type
template <typename C>
C FirstAs(const Tensor& tensor) {
  const Widening* widening = ComputingWidening(tensor.dtype());
  if (widening == nullptr) return *static_cast<const C*>(tensor.raw_data());
  C first;
  widening->load(tensor.raw_data(), &first, 1);
  return first;
}

// Room for widened elements.
//   Errors: RESOURCE_EXHAUSTED
inline Result<Tensor> WidenedRoom(const Tensor& tensor, const Widening& widening) {
  return Tensor::AllocateUninitialized(
      DType::kUInt8, Dims{std::max<int64_t>(1, tensor.num_elements()), widening.wide_size});
}

// The elements of a tensor as C. Must not outlive the tensor.
// REQUIRES: C is the computing type of its dtype, or for OfWidest the widest type
template <typename C>
class ElementsAs {
 public:
  //   Errors: RESOURCE_EXHAUSTED
  static Result<ElementsAs> Of(const Tensor& tensor) {
    return Of(tensor, ComputingWidening(tensor.dtype()));
  }
  static Result<ElementsAs> OfWidest(const Tensor& tensor) {
    return Of(tensor, WidestWidening(tensor.dtype()));
  }
  const C* data() const { return data_; }
  int64_t size() const { return size_; }
  const C& operator[](int64_t i) const { return data_[i]; }

 private:
  static Result<ElementsAs> Of(const Tensor& tensor, const Widening* widening) {
    ElementsAs elements;
    elements.size_ = tensor.num_elements();
    elements.data_ = static_cast<const C*>(tensor.raw_data());
    if (widening == nullptr) return elements;
    TAGFLOW_ASSIGN_OR_RETURN(elements.widened_, WidenedRoom(tensor, *widening));
    widening->load(tensor.raw_data(), elements.widened_.mutable_raw_data(), elements.size_);
    elements.data_ = static_cast<const C*>(elements.widened_.raw_data());
    return elements;
  }

  Tensor widened_;  // in a buffer, so that a move leaves the elements where they are
  const C* data_ = nullptr;
  int64_t size_ = 0;
};

// The elements of an allocated tensor, to be written as C; they are in the tensor once Finish was
// called. With kKept they begin as what the tensor holds, else as anything.
// REQUIRES: C is the computing type of its dtype, or for OfWidest the widest type
enum class Contents { kLeft, kKept };
template <typename C>
class ElementsFor {
 public:
  //   Errors: RESOURCE_EXHAUSTED
  static Result<ElementsFor> Of(Tensor& tensor, Contents contents = Contents::kLeft) {
    return Of(tensor, ComputingWidening(tensor.dtype()), contents);
  }
  static Result<ElementsFor> OfWidest(Tensor& tensor, Contents contents = Contents::kLeft) {
    return Of(tensor, WidestWidening(tensor.dtype()), contents);
  }
  C* data() const { return data_; }
  C& operator[](int64_t i) const { return data_[i]; }
  void Finish() {
    if (widening_ == nullptr) return;
    widening_->store(data_, tensor_->mutable_raw_data(), tensor_->num_elements());
  }

 private:
  static Result<ElementsFor> Of(Tensor& tensor, const Widening* widening, Contents contents) {
    ElementsFor elements;
    elements.tensor_ = &tensor;
    elements.data_ = static_cast<C*>(tensor.mutable_raw_data());
    elements.widening_ = widening;
    if (elements.widening_ == nullptr) return elements;
    TAGFLOW_ASSIGN_OR_RETURN(elements.widened_, WidenedRoom(tensor, *elements.widening_));
    elements.data_ = static_cast<C*>(elements.widened_.mutable_raw_data());
    if (contents == Contents::kKept) {
      elements.widening_->load(tensor.raw_data(), elements.data_, tensor.num_elements());
    }
    return elements;
  }

  Tensor* tensor_ = nullptr;
  const Widening* widening_ = nullptr;
  Tensor widened_;
  C* data_ = nullptr;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_COMPUTING_H_
