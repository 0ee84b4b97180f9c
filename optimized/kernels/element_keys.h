#ifndef TAGFLOW_OPTIMIZED_KERNELS_ELEMENT_KEYS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ELEMENT_KEYS_H_

// Elements as keys of hash tables: two elements are equal where their keys are. 0 and -0 are equal;
// a NaN is equal to nothing, and has no key.

#include <cstdint>
#include <string>

#include "graph/tensor.h"

namespace tagflow::optimized {

class ElementKeys {
 public:
  // Must not outlive the tensor. REQUIRES: real numbers, bools or strings
  explicit ElementKeys(const Tensor& tensor);

  // Whether elements are plain, so that their keys are single numbers.
  bool is_number() const { return width_ > 0; }
  // The key of element i; false for NaN. REQUIRES: is_number()
  bool Number(int64_t i, uint64_t& key) const;
  // Appends the key of element i, marked off from those before; false for NaN.
  bool Append(int64_t i, std::string& key) const;

 private:
  const char* data_;
  size_t width_;           // bytes of an element; 0: strings
  uint64_t infinity_ = 0;  // the bits of a floating infinity; 0: the dtype has none
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ELEMENT_KEYS_H_
