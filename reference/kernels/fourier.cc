// Fourier transforms: along each of the last dimensions, one after the other.
//
//   y[k] = sum over t of x[t] exp(-2 pi i k t / n);  inverse: exp(+...), over n
//
// That sum is computed as it stands for rows of up to kPlainMax elements, in n^2 steps. Longer ones
// are computed by Bluestein's way: 2 k t = k^2 + t^2 - (k - t)^2 makes of the sum a convolution
// with the chirp c[t] = exp(pi i t^2 / n), which transforms of a power of two compute in n log n
// steps.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

using Number = std::complex<double>;
using Row = std::vector<Number>;

constexpr size_t kPlainMax = 1024;

// ---- One row ----

// exp(2 pi i k / n), k below n; quarter turns exactly.
Number Turn(size_t k, size_t n) {
  constexpr Number kQuarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  if (4 * k % n == 0) return kQuarters[4 * k / n];
  const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}
Row Turns(size_t n, bool inverse) {
  Row turns;
  for (size_t k = 0; k < n; ++k) turns.push_back(inverse ? Turn(k, n) : std::conj(Turn(k, n)));
  return turns;
}

// Without what the standard library does for infinite factors.
Number Product(Number a, Number b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Row PlainSums(const Row& x, bool inverse) {
  const Row turns = Turns(x.size(), inverse);
  Row y(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t t = 0; t < x.size(); ++t) y[k] += Product(x[t], turns[k * t % x.size()]);
  }
  return y;
}

// Of 2^i elements: those at even places and those at odd ones, transformed.
Row OfPowerOfTwo(const Row& x, const Row& turns, bool inverse) {
  const size_t half = x.size() / 2;
  if (half == 0) return x;
  Row even, odd;
  for (size_t t = 0; t < x.size(); ++t) (t % 2 == 0 ? even : odd).push_back(x[t]);
  even = OfPowerOfTwo(even, turns, inverse);
  odd = OfPowerOfTwo(odd, turns, inverse);
  Row y(x.size());
  for (size_t k = 0; k < half; ++k) {
    const Number turned = Product(odd[k], turns[k * (turns.size() / x.size())]);
    y[k] = even[k] + turned;
    y[k + half] = even[k] - turned;
  }
  return y;
}

Row Bluestein(const Row& x, bool inverse) {
  const size_t n = x.size();
  size_t size = 1;
  while (size < 2 * n) size *= 2;
  Row chirp;  // exp(∓ pi i t^2 / n)
  for (size_t t = 0; t < n; ++t) {
    const Number turn = Turn(t * t % (2 * n), 2 * n);
    chirp.push_back(inverse ? turn : std::conj(turn));
  }
  Row a(size), b(size);
  for (size_t t = 0; t < n; ++t) {
    a[t] = Product(x[t], chirp[t]);
    b[t] = std::conj(chirp[t]);
    if (t > 0) b[size - t] = b[t];
  }
  const Row turns = Turns(size, false), back = Turns(size, true);
  a = OfPowerOfTwo(a, turns, false);
  b = OfPowerOfTwo(b, turns, false);
  for (size_t k = 0; k < size; ++k) a[k] = Product(a[k], b[k]) / static_cast<double>(size);
  a = OfPowerOfTwo(a, back, true);
  Row y;
  for (size_t k = 0; k < n; ++k) y.push_back(Product(a[k], chirp[k]));
  return y;
}

Row Transformed(const Row& x, bool inverse) {
  Row y = x.size() <= kPlainMax ? PlainSums(x, inverse) : Bluestein(x, inverse);
  if (!inverse) return y;
  for (Number& value : y) value /= static_cast<double>(x.size());
  return y;
}

// ---- Arrays ----

struct Array {
  Dims dims;
  Row values;
};

// The array with each row along `axis` replaced by change(row), all of one size.
template <typename Change>
Array AlongAxis(const Array& from, size_t axis, int64_t new_size, Change change) {
  Array to = from;
  to.dims[axis] = new_size;
  to.values.assign(static_cast<size_t>(*NumElements(to.dims)), Number());
  const auto inner = static_cast<size_t>(ProductOf(from.dims, axis + 1, from.dims.size()));
  const auto outer = static_cast<size_t>(ProductOf(from.dims, 0, axis));
  const auto size = static_cast<size_t>(from.dims[axis]), out = static_cast<size_t>(new_size);
  for (size_t i = 0; i < outer * inner; ++i) {
    const size_t before = i / inner, behind = i % inner;
    Row row;
    for (size_t t = 0; t < size; ++t) {
      row.push_back(from.values[(before * size + t) * inner + behind]);
    }
    row = change(row);
    for (size_t t = 0; t < out; ++t) to.values[(before * out + t) * inner + behind] = row[t];
  }
  return to;
}

// Cut off, or filled up with zeros.
Array Resized(const Array& from, size_t axis, int64_t size) {
  return AlongAxis(from, axis, size, [size](Row row) {
    row.resize(static_cast<size_t>(size));
    return row;
  });
}

Array Transform(const Array& from, size_t axis, bool inverse) {
  return AlongAxis(from, axis, from.dims[axis],
                   [inverse](const Row& row) { return Transformed(row, inverse); });
}

// Of the elements up to the middle of `size`, all: those behind it mirror them.
Array Mirrored(const Array& half, size_t axis, int64_t size) {
  return AlongAxis(half, axis, size, [size](Row row) {
    const size_t given = row.size();
    row.resize(static_cast<size_t>(size));
    for (size_t k = given; k < row.size(); ++k) row[k] = std::conj(row[row.size() - k]);
    return row;
  });
}

// ---- Calls ----

Array Read(const Tensor& tensor) {
  Array array = {ToDims(tensor.dims()), {}};
  WithComputingType(tensor.dtype(), [&]<typename C>(Computing<C>) {
    if constexpr (std::floating_point<C> || ComplexElement<C>) {
      for (const C value : Load<C>(tensor)) array.values.push_back(Number(value));
    }
  });
  return array;
}

Result<Tensor> Write(DType dtype, const Array& array) {
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Result<Tensor> {
    std::vector<C> values;
    for (const Number value : array.values) {
      if constexpr (ComplexElement<C>) values.push_back(C(value));
      if constexpr (std::floating_point<C>) values.push_back(static_cast<C>(value.real()));
    }
    return Store(dtype, array.dims, values);
  });
}

Status RequireRank(const Tensor& input, size_t rank) {
  if (input.dims().size() >= rank) return Status();
  return InvalidArgument("Input must have rank of at least " + std::to_string(rank) +
                         " but got: " + DimsString(input.dims()));
}

//   input, output: complex [..., n], or more dimensions
//   Errors: INVALID_ARGUMENT (rank), RESOURCE_EXHAUSTED
template <size_t kRank, bool inverse>
Status OfComplex(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kComplexes));
  TAGFLOW_RETURN_IF_ERROR(RequireRank(input, kRank));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(input.dims()));
  Array array = Read(input);
  for (size_t axis = array.dims.size() - kRank; axis < array.dims.size(); ++axis) {
    array = Transform(array, axis, inverse);
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Write(input.dtype(), array));
  return Status();
}

// Whether one is the type of the other's parts.
Status RequireParts(const KernelContext& context, DType real, DType complex) {
  const bool fits = (real == DType::kFloat && complex == DType::kComplex64) ||
                    (real == DType::kDouble && complex == DType::kComplex128);
  return fits ? Status() : InvalidArgument("Wrong types for real FFT " + context.node.op);
}

// How many elements of the input's last dimensions are transformed, or how many real numbers come
// of them.
//   taken: of real input all, of complex input half of the last
//   Errors: INVALID_ARGUMENT
Result<Dims> LengthsOf(const KernelContext& context, size_t rank, bool takes_half) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireRank(input, rank));
  const Tensor& given = context.inputs[1];
  if (given.rank() != 1 || given.dim(0) != static_cast<int64_t>(rank)) {
    return InvalidArgument("fft_length must have shape [" + std::to_string(rank) + "]");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims lengths, IndexValues(given));
  for (size_t i = 0; i < rank; ++i) {
    if (lengths[i] < 0) return InvalidArgument("fft_length must >= 0");
    const bool is_half = takes_half && i + 1 == rank && lengths[i] > 0;
    const int64_t needed = is_half ? lengths[i] / 2 + 1 : lengths[i];
    const int64_t there = input.dims()[input.dims().size() - rank + i];
    if (there != 0 && there < needed) {
      return InvalidArgument("Input dimension must have length of at least " +
                             std::to_string(needed) + " but got: " + std::to_string(there));
    }
  }
  return lengths;
}

// The dims of the input with others for the last.
Dims WithLast(DimsView dims, const Dims& last) {
  Dims changed = ToDims(dims);
  std::copy(last.begin(), last.end(), changed.end() - std::ssize(last));
  return changed;
}

//   input: floats [..., n or more];  fft_length: int32, an n for each dimension
//   output: complex [..., n / 2 + 1], the rest mirrors it; zeros for an input without elements
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <size_t kRank>
Status OfReal(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(RequireParts(context, input.dtype(), dtype));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims lengths, LengthsOf(context, kRank, /*takes_half=*/false));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(WithLast(input.dims(), lengths)));
  Array array = Read(input);
  const size_t first = array.dims.size() - kRank;
  for (size_t i = 0; i < kRank; ++i) array = Resized(array, first + i, lengths[i]);
  for (size_t i = 0; i < kRank; ++i) array = Transform(array, first + i, false);
  const int64_t last = lengths.back();
  array = Resized(array, first + kRank - 1, last == 0 ? 0 : last / 2 + 1);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Write(dtype, array));
  return Status();
}

//   input: complex [..., n / 2 + 1 or more];  fft_length: int32, an n for each dimension
//   output: floats [..., n]: the transform back of what is real, as if the input were half of it
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
template <size_t kRank>
Status ToReal(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(RequireParts(context, dtype, input.dtype()));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims lengths, LengthsOf(context, kRank, /*takes_half=*/true));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(WithLast(input.dims(), lengths)));
  Array array = Read(input);
  const size_t first = array.dims.size() - kRank, last = array.dims.size() - 1;
  for (size_t axis = first; axis < last; ++axis) {
    array = Resized(array, axis, lengths[axis - first]);
  }
  array = Resized(array, last, lengths.back() == 0 ? 0 : lengths.back() / 2 + 1);
  for (size_t axis = first; axis < last; ++axis) array = Transform(array, axis, true);
  array = Transform(Mirrored(array, last, lengths.back()), last, true);
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Write(dtype, array));
  return Status();
}

}  // namespace

Status RegisterFourierKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"FFT", OfComplex<1, false>},
                                {"FFT2D", OfComplex<2, false>},
                                {"FFT3D", OfComplex<3, false>},
                                {"IFFT", OfComplex<1, true>},
                                {"IFFT2D", OfComplex<2, true>},
                                {"IFFT3D", OfComplex<3, true>},
                                {"RFFT", OfReal<1>},
                                {"RFFT2D", OfReal<2>},
                                {"RFFT3D", OfReal<3>},
                                {"IRFFT", ToReal<1>},
                                {"IRFFT2D", ToReal<2>},
                                {"IRFFT3D", ToReal<3>}});
}

}  // namespace tagflow::reference
