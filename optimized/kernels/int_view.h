#ifndef TAGFLOW_OPTIMIZED_KERNELS_INT_VIEW_H_
#define TAGFLOW_OPTIMIZED_KERNELS_INT_VIEW_H_

// Integers that kernels are told what to do by: indices, sizes, shapes, of any integer dtype.

#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized {

// The elements of an integer tensor as int64, in row-major order; those of an int32 or int64 tensor
// where they are. A uint64 of 2^63 or more is negative. The tensor outlives the view.
class IntView {
 public:
  // Errors: INVALID_ARGUMENT for a dtype that is no integer
  static Result<IntView> Of(const Tensor& tensor);
  IntView(IntView&&) = default;
  IntView& operator=(IntView&&) = default;

  int64_t size() const { return size_; }
  int64_t operator[](int64_t i) const { return narrow_ != nullptr ? narrow_[i] : wide_[i]; }
  std::vector<int64_t> values() const;

 private:
  IntView() = default;

  int64_t size_ = 0;
  const int32_t* narrow_ = nullptr;
  const int64_t* wide_ = nullptr;
  std::vector<int64_t> widened_;  // of other dtypes; `wide_` points into it
};

// The only element of an integer tensor of whatever rank.
//   Errors: INVALID_ARGUMENT, naming the input by `what`
Result<int64_t> OnlyInt(const Tensor& tensor, std::string_view what);
// The same of a scalar. Errors: INVALID_ARGUMENT also for another rank
Result<int64_t> ScalarInt(const Tensor& tensor, std::string_view what);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_INT_VIEW_H_
