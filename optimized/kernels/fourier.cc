// Fourier transforms along each of the last dimensions, one after the other; row_transform.h does a
// row. Rows are independent of each other.
//
// What a row of a length needs is made once, and kept for the next firing of the node that has rows
// of that length. Real numbers are transformed as complex ones. (Two rows at a time, as the real
// and the imaginary parts of one, would take half the time, but a row of small numbers would be as
// inexact as a row of large ones beside it.)

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/row_transform.h"

namespace tagflow::optimized {
namespace {

// The transforms of a node's rows, of the lengths that it had last.
template <typename R>
class Transforms {
 public:
  std::shared_ptr<const RowTransform<R>> Of(int64_t n, bool inverse) {
    std::lock_guard lock(mutex_);
    for (const auto& [kept, is_inverse] : kept_) {
      if (kept != nullptr && kept->size() == n && is_inverse == inverse) return kept;
    }
    auto made = std::make_shared<const RowTransform<R>>(n, inverse);
    kept_[next_++ % kept_.size()] = {made, inverse};
    return made;
  }

 private:
  struct Kept {
    std::shared_ptr<const RowTransform<R>> transform;
    bool inverse = false;
  };
  std::mutex mutex_;
  std::array<Kept, 3> kept_;
  size_t next_ = 0;
};

// An array as rows along one of its dimensions.
struct Rows {
  int64_t outer, size, inner;

  int64_t count() const { return outer * inner; }
  // Where row i begins.
  int64_t begin(int64_t i) const { return i / inner * size * inner + i % inner; }
};
Rows RowsAlong(DimsView dims, size_t axis) {
  Rows rows = {1, dims[axis], 1};
  for (size_t i = 0; i < axis; ++i) rows.outer *= dims[i];
  for (size_t i = axis + 1; i < dims.size(); ++i) rows.inner *= dims[i];
  return rows;
}

double CostOf(int64_t n) { return 4.0 * static_cast<double>(n) * std::log2(1.0 + double(n)); }

template <typename R>
using Numbers = std::vector<std::complex<R>>;

// Transforms rows in place.
template <typename R>
void TransformRows(const KernelContext& context, const Rows& rows, const RowTransform<R>& transform,
                   std::complex<R>* elements) {
  const auto size = static_cast<size_t>(rows.size);
  context.ForRanges(rows.count(), CostOf(rows.size), [&](int64_t begin, int64_t end) {
    Numbers<R> x(size), y(size);
    typename RowTransform<R>::Room room;
    for (int64_t i = begin; i < end; ++i) {
      std::complex<R>* row = elements + rows.begin(i);
      for (size_t t = 0; t < size; ++t) x[t] = row[static_cast<int64_t>(t) * rows.inner];
      transform.Run(x.data(), y.data(), room);
      for (size_t t = 0; t < size; ++t) row[static_cast<int64_t>(t) * rows.inner] = y[t];
    }
  });
}

// ---- Lengths ----

Status RequireRank(const Tensor& input, size_t rank) {
  if (input.dims().size() >= rank) return Status();
  return InvalidArgument("Input must have rank of at least " + std::to_string(rank) +
                         " but got: " + DimsString(input.dims()));
}

// How many real numbers each transform is of, along each dimension.
//   Errors: INVALID_ARGUMENT
Result<Dims> LengthsOf(const KernelContext& context, size_t rank, bool takes_half) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireRank(input, rank));
  const Tensor& given = context.input(1);
  if (given.rank() != 1 || given.dim(0) != static_cast<int64_t>(rank)) {
    return InvalidArgument("fft_length must have shape [" + std::to_string(rank) + "]");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView lengths, IntView::Of(given));
  const DimsView last = input.dims().last(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t length = lengths[static_cast<int64_t>(i)];
    if (length < 0) {
      return InvalidArgument("fft_length[" + std::to_string(i) +
                             "] must >= 0, but got: " + std::to_string(length));
    }
    const bool is_half = takes_half && i + 1 == rank && length > 0;
    const int64_t needed = is_half ? length / 2 + 1 : length;
    if (last[i] == 0 || last[i] >= needed) continue;
    return InvalidArgument("Input dimension must have length of at least " +
                           std::to_string(needed) + " but got: " + std::to_string(last[i]));
  }
  return lengths.values();
}

// The dims of the input with others for the last.
Dims WithLast(DimsView dims, const Dims& last) {
  Dims changed(dims.begin(), dims.end());
  std::copy(last.begin(), last.end(), changed.end() - std::ssize(last));
  return changed;
}

int64_t HalfOf(int64_t n) { return n == 0 ? 0 : n / 2 + 1; }

// Calls visit(i, from) for each row along the last dimension of an array of shape `dims`, where
// `from` is the number of the row of an array of shape `within` at the same place.
// REQUIRES: `within` is as large or larger
template <typename Visit>
void ForEachRowWithin(DimsView dims, DimsView within, int64_t begin, int64_t end, Visit visit) {
  for (int64_t i = begin; i < end; ++i) {
    int64_t rest = i, from = 0, step = 1;
    for (size_t axis = dims.size() - 1; axis-- > 0;) {
      from += rest % dims[axis] * step;
      rest /= dims[axis];
      step *= within[axis];
    }
    visit(i, from);
  }
}

// ---- Ops ----

struct FourierRule {
  size_t rank = 1;
  bool inverse = false;
};

//   input, output: complex [..., n], or more dimensions
//   Errors: INVALID_ARGUMENT (rank), RESOURCE_EXHAUSTED
template <typename R>
Status OfComplex(const FourierRule& rule, Transforms<R>& transforms, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_RETURN_IF_ERROR(RequireRank(input, rule.rank));
  const auto* from = input.data<std::complex<R>>();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), input.dims(), {0}));
  if (out->num_elements() == 0) return Status();
  auto* to = out->mutable_data<std::complex<R>>();
  if (to != from) std::copy_n(from, out->num_elements(), to);
  const DimsView dims = out->dims();
  for (size_t axis = dims.size() - rule.rank; axis < dims.size(); ++axis) {
    const Rows rows = RowsAlong(dims, axis);
    TransformRows(context, rows, *transforms.Of(rows.size, rule.inverse), to);
  }
  return Status();
}

// The last dimension of OfReal: rows of real numbers, cut off, to halves of their transforms.
template <typename R>
void TransformReals(const KernelContext& context, const Dims& output, int64_t length,
                    const RowTransform<R>& transform, const R* from, std::complex<R>* to) {
  const DimsView input = context.input(0).dims();
  const int64_t half = output.back(), given = input.back();
  context.ForRanges(*NumElements(output) / half, CostOf(length), [&](int64_t begin, int64_t end) {
    Numbers<R> x(static_cast<size_t>(length)), y(x.size());
    typename RowTransform<R>::Room room;
    ForEachRowWithin(output, input, begin, end, [&](int64_t i, int64_t row) {
      std::copy_n(from + row * given, length, x.begin());
      transform.Run(x.data(), y.data(), room);
      std::copy_n(y.begin(), half, to + i * half);
    });
  });
}

//   input: floats [..., n or more];  fft_length: int32, an n for each dimension
//   output: complex [..., n / 2 + 1]; zeros for an input without elements
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <typename R>
Status OfReal(const FourierRule& rule, Transforms<R>& transforms, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Dims lengths, LengthsOf(context, rule.rank, false));
  const int64_t length = lengths.back();
  lengths.back() = HalfOf(length);
  const Dims dims = WithLast(input.dims(), lengths);
  const DType dtype = std::is_same_v<R, float> ? DType::kComplex64 : DType::kComplex128;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
  if (out->num_elements() == 0) return Status();
  auto* to = out->mutable_data<std::complex<R>>();
  if (input.num_elements() == 0) {
    std::fill_n(to, out->num_elements(), std::complex<R>());
    return Status();
  }
  TransformReals(context, dims, length, *transforms.Of(length, false), input.data<R>(), to);
  for (size_t axis = dims.size() - rule.rank; axis + 1 < dims.size(); ++axis) {
    const Rows rows = RowsAlong(dims, axis);
    TransformRows(context, rows, *transforms.Of(rows.size, false), to);
  }
  return Status();
}

// The last dimension of ToReal: halves of transforms to rows of real numbers.
template <typename R>
void TransformBack(const KernelContext& context, int64_t length, const RowTransform<R>& transform,
                   const Numbers<R>& halves, R* to) {
  const int64_t half = HalfOf(length);
  context.ForRanges(std::ssize(halves) / half, CostOf(length), [&](int64_t begin, int64_t end) {
    Numbers<R> x(static_cast<size_t>(length)), y(x.size());
    typename RowTransform<R>::Room room;
    for (int64_t i = begin; i < end; ++i) {
      std::copy_n(halves.data() + i * half, half, x.begin());
      for (int64_t k = half; k < length; ++k) {
        x[static_cast<size_t>(k)] = std::conj(x[static_cast<size_t>(length - k)]);
      }
      transform.Run(x.data(), y.data(), room);
      std::ranges::transform(y, to + i * length, [](std::complex<R> z) { return z.real(); });
    }
  });
}

//   input: complex [..., n / 2 + 1 or more];  fft_length: int32, an n for each dimension
//   output: floats [..., n]
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <typename R>
Status ToReal(const FourierRule& rule, Transforms<R>& transforms, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Dims lengths, LengthsOf(context, rule.rank, true));
  const int64_t length = lengths.back();
  const DType dtype = std::is_same_v<R, float> ? DType::kFloat : DType::kDouble;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                           context.Allocate(0, dtype, WithLast(input.dims(), lengths)));
  if (out->num_elements() == 0) return Status();
  if (input.num_elements() == 0) {
    std::fill_n(out->mutable_data<R>(), out->num_elements(), R(0));
    return Status();
  }
  lengths.back() = HalfOf(length);
  const Dims dims = WithLast(input.dims(), lengths);
  Numbers<R> halves(static_cast<size_t>(*NumElements(dims)));
  const auto* from = input.data<std::complex<R>>();
  const int64_t half = lengths.back(), given = input.dims().back();
  ForEachRowWithin(dims, input.dims(), 0, std::ssize(halves) / half, [&](int64_t i, int64_t row) {
    std::copy_n(from + row * given, half, halves.data() + i * half);
  });
  for (size_t axis = dims.size() - rule.rank; axis + 1 < dims.size(); ++axis) {
    const Rows rows = RowsAlong(dims, axis);
    TransformRows(context, rows, *transforms.Of(rows.size, true), halves.data());
  }
  TransformBack(context, length, *transforms.Of(length, true), halves, out->mutable_data<R>());
  return Status();
}

// ---- Binding ----

template <typename R>
using Compute = Status (*)(const FourierRule&, Transforms<R>&, KernelContext&);

template <typename R>
BoundKernel KernelOf(const FourierRule& rule, Compute<R> compute) {
  return BoundKernel([rule, compute, transforms = std::make_shared<Transforms<R>>()](
                         KernelContext& context) { return compute(rule, *transforms, context); });
}

template <size_t rank, bool inverse>
Result<BoundKernel> BindComplex(const Binding& binding) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kComplexes));
  const FourierRule rule = {rank, inverse};
  return dtype == DType::kComplex64 ? KernelOf<float>(rule, OfComplex<float>)
                                    : KernelOf<double>(rule, OfComplex<double>);
}

template <size_t rank, bool inverse>
Result<BoundKernel> BindReal(const Binding& binding) {
  DType real = binding.input_dtype(0), complex = binding.output_dtype(0);
  if (inverse) std::swap(real, complex);
  const FourierRule rule = {rank, inverse};
  if (real == DType::kFloat && complex == DType::kComplex64) {
    return KernelOf<float>(rule, inverse ? ToReal<float> : OfReal<float>);
  }
  if (real == DType::kDouble && complex == DType::kComplex128) {
    return KernelOf<double>(rule, inverse ? ToReal<double> : OfReal<double>);
  }
  return InvalidArgument("Wrong types for a Fourier transform of real numbers");
}

}  // namespace

Status RegisterFourierKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"FFT", BindComplex<1, false>, Cost::kHeavy},
                                {"FFT2D", BindComplex<2, false>, Cost::kHeavy},
                                {"FFT3D", BindComplex<3, false>, Cost::kHeavy},
                                {"IFFT", BindComplex<1, true>, Cost::kHeavy},
                                {"IFFT2D", BindComplex<2, true>, Cost::kHeavy},
                                {"IFFT3D", BindComplex<3, true>, Cost::kHeavy},
                                {"RFFT", BindReal<1, false>, Cost::kHeavy},
                                {"RFFT2D", BindReal<2, false>, Cost::kHeavy},
                                {"RFFT3D", BindReal<3, false>, Cost::kHeavy},
                                {"IRFFT", BindReal<1, true>, Cost::kHeavy},
                                {"IRFFT2D", BindReal<2, true>, Cost::kHeavy},
                                {"IRFFT3D", BindReal<3, true>, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
