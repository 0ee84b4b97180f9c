#include "optimized/kernels/product.h"

#include <cblas.h>

#include <algorithm>
#include <complex>
#include <concepts>
#include <limits>
#include <mutex>

#include "optimized/formulas/products.h"
#include "optimized/kernels/clones.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/convolution_sums.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/panel_product.h"
#include "optimized/kernels/row_product.h"
#include "optimized/kernels/tile_product.h"

namespace tagflow::optimized {
namespace {

// How far a step along a row and down a column of a factor goes.
int64_t ColumnStep(const Factor& factor) { return factor.is_transposed ? factor.rows : 1; }
int64_t RowStep(const Factor& factor) { return factor.is_transposed ? 1 : factor.columns; }

// ---- A column times a row ----

// The zero is what a sum begins with: it makes -0 what any other product has, 0.
template <typename T>
TAGFLOW_CLONES void MultiplyColumnByRow(const T* column, int64_t rows, const T* row,
                                        int64_t columns, T* out) {
  for (int64_t i = 0; i < rows; ++i, out += columns) {
    const T factor = column[i];
    TAGFLOW_INDEPENDENT
    for (int64_t j = 0; j < columns; ++j) out[j] = factor * row[j] + T(0);
  }
}

// ---- The library ----

bool FitsLibrary(const Factor& factor) {
  constexpr int64_t kMost = std::numeric_limits<blasint>::max();
  return factor.rows <= kMost && factor.columns <= kMost;
}
blasint ToBlas(int64_t size) { return static_cast<blasint>(size); }
CBLAS_TRANSPOSE Reading(bool is_transposed) { return is_transposed ? CblasTrans : CblasNoTrans; }

template <typename T>
constexpr auto kMatrixProduct = cblas_sgemm;
template <>
constexpr auto kMatrixProduct<double> = cblas_dgemm;
template <typename T>
constexpr auto kVectorProduct = cblas_sgemv;
template <>
constexpr auto kVectorProduct<double> = cblas_dgemv;

// Held while the library computes. Its serial build keeps the memory that it packs factors into
// for all callers in common, so that two at once give wrong products; the others, which are told to
// use one thread (matmul.cc), keep it for each.
std::unique_lock<std::mutex> LibraryTurn() {
  static const bool is_serial = openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
  static std::mutex mutex;
  return is_serial ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
}

// out = row matrix: ranges of columns side by side, however many, give the same bits.
void MultiplyRowInRanges(const float* row, const FloatMatrix& matrix, float* out,
                         const KernelContext& context) {
  constexpr int64_t kColumns = 64;       // of a part: 256 bytes of each row
  constexpr double kNanoseconds = 0.05;  // about how long an element of the matrix takes
  const int64_t parts = std::max<int64_t>(matrix.columns / kColumns, 1);
  const double part_ns = kNanoseconds * static_cast<double>(matrix.rows) * kColumns;
  context.ForRanges(parts, part_ns, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kColumns;
    FloatMatrix part = matrix;
    part.data += first;
    part.columns = (end == parts ? matrix.columns : end * kColumns) - first;
    MultiplyRow(row, part, out + first);
  });
}

// out = matrix vector, with the matrix as stored or transposed, where the vector's elements lie
// side by side. The library adds to `out`, since it does not promise to overlook what is there.
template <typename T>
void MultiplyVector(const Factor& matrix, bool is_transposed, const void* vector, void* out,
                    const KernelContext& context) {
  const int64_t rows = matrix.is_transposed ? matrix.columns : matrix.rows;  // as stored
  const int64_t columns = matrix.is_transposed ? matrix.rows : matrix.columns;
  T* result = static_cast<T*>(out);
  if constexpr (std::same_as<T, float>) {
    const FloatMatrix stored = {static_cast<const float*>(matrix.data), rows, columns, columns, 1};
    if (is_transposed && SuitsRowProduct(stored)) {
      return MultiplyRowInRanges(static_cast<const float*>(vector), stored, result, context);
    }
  }
  std::fill_n(result, is_transposed ? columns : rows, T(0));
  const auto turn = LibraryTurn();
  kVectorProduct<T>(CblasRowMajor, Reading(is_transposed), ToBlas(rows), ToBlas(columns), 1,
                    static_cast<const T*>(matrix.data), ToBlas(columns),
                    static_cast<const T*>(vector), 1, 1, result, 1);
}

FloatMatrix MatrixOf(const Factor& factor) {
  return {static_cast<const float*>(factor.data), factor.rows, factor.columns, RowStep(factor),
          ColumnStep(factor)};
}

// Blocks of rows, which the shape says, for each number of threads the same: they cost the library
// up to 2 % more, for it copies the second factor for each. An even number, for an even number of
// threads.
template <typename T>
void MultiplyInBlocks(const Factor& a, const Factor& b, T* out, const KernelContext& context) {
  constexpr int64_t kRowsMin = 256, kRowsOfTwo = 384, kMostBlocks = 32;
  constexpr double kNanoseconds = 0.02;  // about how long a multiplication and addition takes
  const int64_t blocks =
      a.rows < kRowsMin ? 1 : std::clamp<int64_t>(a.rows / kRowsOfTwo * 2, 2, kMostBlocks);
  const double block_ns = kNanoseconds * static_cast<double>(a.rows / blocks) *
                          static_cast<double>(a.columns) * static_cast<double>(b.columns);
  context.ForRanges(blocks, block_ns, [&](int64_t begin, int64_t end) {
    const auto turn = LibraryTurn();
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = a.rows * i / blocks, behind = a.rows * (i + 1) / blocks;
      kMatrixProduct<T>(CblasRowMajor, Reading(a.is_transposed), Reading(b.is_transposed),
                        ToBlas(behind - first), ToBlas(b.columns), ToBlas(a.columns), 1,
                        static_cast<const T*>(a.data) + first * RowStep(a),
                        ToBlas(a.is_transposed ? a.rows : a.columns), static_cast<const T*>(b.data),
                        ToBlas(b.is_transposed ? b.rows : b.columns), 0, out + first * b.columns,
                        ToBlas(b.columns));
    }
  });
}

// ---- Panels of the second factor ----

// A product as a convolution by a window of one element, whose rows are those of the first factor
// (convolution_sums.h).
class PanelProduct {
 public:
  // REQUIRES: they live as long as this
  PanelProduct(const Factor& a, const Factor& b)
      : b_(b), left_(MatrixOf(a)), right_(MatrixOf(b)), rows_{.source = a.rows, .rows = a.rows} {}

  // What is kept of the second factor, if that is a constant; null where nothing is.
  CopiedPanelsPtr Kept() const {
    if (b_.kept == nullptr) return nullptr;
    return b_.kept->For(*b_.constant, {}, 0, [&] {
      return FilterPanels<float>::Copied(grid_, left_.columns, Columns(0, b_.columns));
    });
  }

  // By ranges of columns side by side.
  Status Compute(float* out, const KernelContext& context) const {
    constexpr double kNanoseconds = 0.02;  // about how long a multiplication and addition takes
    const int64_t width = PanelColumns<float>(), panels = (b_.columns + width - 1) / width;
    const double panel_ns = kNanoseconds * static_cast<double>(left_.rows) *
                            static_cast<double>(left_.columns) * static_cast<double>(width);
    const CopiedPanelsPtr kept = Kept();
    return context.TryRanges(panels, panel_ns, [&](int64_t begin, int64_t end) -> Status {
      const int64_t first = begin * width, behind = std::min(end * width, b_.columns);
      TAGFLOW_ASSIGN_OR_RETURN(
          const auto packed,
          FilterPanels<float>::Of(grid_, left_.columns, Columns(first, behind), kept, begin));
      const SumsTarget target = {reinterpret_cast<char*>(out + first), nullptr, sizeof(float)};
      return SumTaps<float>(grid_, image_, packed, target, {0, {0, 0, b_.columns}, 1},
                            {0, left_.rows});
    });
  }

 private:
  FilterChannels<float> Columns(int64_t first, int64_t behind) const {
    return {right_.data + first * right_.column_step,
            {0, right_.row_step, right_.column_step},
            behind - first};
  }

  const Factor& b_;
  const FloatMatrix left_, right_;
  const TapAxis one_, rows_;
  const TapGrid grid_ = {1, {&one_, &one_, &rows_}};
  const ImageChannels<float> image_ = {
      left_.data, {0, {0, 0, left_.row_step}, left_.column_step}, left_.columns};
};

// Whether products that are too large for panel_product.h are quicker so than by the library: its
// code for AVX-512 is older than the processors that have it now.
bool SuitsPanelProduct(const Factor& a, const Factor& b) {
  constexpr int64_t kSizeMin = int64_t{1} << 17;  // elements of the second factor
  return PanelTilesOf512Bits() != nullptr && a.rows > 1 && b.rows * b.columns >= kSizeMin;
}

Status MultiplyFloatMatrices(const Factor& a, const Factor& b, float* out,
                             const KernelContext& context) {
  if (SuitsPanels(MatrixOf(a), MatrixOf(b))) {
    const CopiedPanelsPtr kept = b.kept == nullptr ? nullptr : PanelProduct(a, b).Kept();
    MultiplyByPanels(MatrixOf(a), MatrixOf(b), out, context, kept.get());
    return Status();
  }
  if (SuitsPanelProduct(a, b)) return PanelProduct(a, b).Compute(out, context);
  MultiplyInBlocks(a, b, out, context);
  return Status();
}

template <typename T>
Status MultiplyByLibrary(const Factor& a, const Factor& b, void* out,
                         const KernelContext& context) {
  // A row times a matrix is the transposed matrix times a column.
  if (a.rows == 1) {
    MultiplyVector<T>(b, !b.is_transposed, a.data, out, context);
    return Status();
  }
  if (b.columns == 1) {
    MultiplyVector<T>(a, a.is_transposed, b.data, out, context);
    return Status();
  }
  if constexpr (std::same_as<T, float>) {
    return MultiplyFloatMatrices(a, b, static_cast<float*>(out), context);
  }
  MultiplyInBlocks(a, b, static_cast<T*>(out), context);
  return Status();
}

// ---- Other dtypes ----

// The elements of a factor in rows, widened and conjugated: in `room`, or where they are.
template <typename W>
Result<const W*> InRows(const Factor& factor, const Widening* widening, Tensor& room) {
  const int64_t size = factor.rows * factor.columns;
  const auto* in_place = static_cast<const W*>(factor.data);
  if (widening == nullptr && !factor.is_transposed && !factor.is_conjugated) return in_place;
  TAGFLOW_ASSIGN_OR_RETURN(
      room, Tensor::AllocateUninitialized(
                DType::kUInt8, Dims{factor.is_transposed ? 2 : 1, size, int64_t{sizeof(W)}}));
  W* rows = static_cast<W*>(room.mutable_raw_data());
  W* stored = factor.is_transposed ? rows + size : rows;
  if (widening != nullptr) {
    widening->load(factor.data, stored, size);
  } else {
    std::copy_n(in_place, size, stored);
  }
  if constexpr (Complex<W>) {
    if (factor.is_conjugated) std::transform(stored, stored + size, stored, Conjugated<W>);
  }
  for (int64_t row = 0; factor.is_transposed && row < factor.rows; ++row) {
    for (int64_t k = 0; k < factor.columns; ++k) {
      rows[row * factor.columns + k] = stored[k * factor.rows + row];
    }
  }
  return rows;
}

// What brings elements of a factor into the wide type of the product's dtype.
const Widening* FactorWidening(DType dtype, DType product) {
  static constexpr auto kLoadBytes = []<typename T>(const void* from, void* to, int64_t count) {
    std::copy_n(static_cast<const T*>(from), count, static_cast<double*>(to));
  };
  static constexpr Widening kInt8 = {[](const void* from, void* to, int64_t count) {
                                       kLoadBytes.template operator()<int8_t>(from, to, count);
                                     },
                                     nullptr, sizeof(double)};
  static constexpr Widening kUInt8 = {[](const void* from, void* to, int64_t count) {
                                        kLoadBytes.template operator()<uint8_t>(from, to, count);
                                      },
                                      nullptr, sizeof(double)};
  if (product == DType::kBFloat16 && dtype == DType::kInt8) return &kInt8;
  if (product == DType::kBFloat16 && dtype == DType::kUInt8) return &kUInt8;
  return WidestWidening(dtype);
}

// Row by row: the terms of an element are added in order of the inner index, and those of a row's
// elements side by side.
template <typename W>
Status MultiplyWide(DType product, const Factor& a, const Factor& b, void* out) {
  Tensor a_room, b_room, sums_room;
  TAGFLOW_ASSIGN_OR_RETURN(const W* x, InRows<W>(a, FactorWidening(a.dtype, product), a_room));
  TAGFLOW_ASSIGN_OR_RETURN(const W* y, InRows<W>(b, FactorWidening(b.dtype, product), b_room));
  TAGFLOW_ASSIGN_OR_RETURN(
      sums_room, Tensor::AllocateUninitialized(DType::kUInt8, Dims{b.columns, int64_t{sizeof(W)}}));
  W* sums = static_cast<W*>(sums_room.mutable_raw_data());
  const Widening* widening = WidestWidening(product);
  const auto size = static_cast<int64_t>(DTypeSize(product));
  char* to = static_cast<char*>(out);
  for (int64_t row = 0; row < a.rows; ++row, to += b.columns * size) {
    std::fill_n(sums, b.columns, W(0));
    for (int64_t k = 0; k < a.columns; ++k) {
      const W factor = x[row * a.columns + k];
      const W* terms = y + k * b.columns;
      TAGFLOW_INDEPENDENT
      for (int64_t i = 0; i < b.columns; ++i) sums[i] = Plus(sums[i], Times(factor, terms[i]));
    }
    if (widening != nullptr) {
      widening->store(sums, to, b.columns);
    } else {
      std::copy_n(sums, b.columns, reinterpret_cast<W*>(to));
    }
  }
  return Status();
}

template <typename T>
Status MultiplyFloats(const Factor& a, const Factor& b, void* out, const KernelContext& context) {
  const formulas::ProductSizes sizes = {a.rows, a.columns, b.columns};
  if (a.columns == 0) {
    std::fill_n(static_cast<T*>(out), a.rows * b.columns, T(0));
  } else if (sizes.is_small()) {
    formulas::MultiplyInOrder(static_cast<const T*>(a.data), static_cast<const T*>(b.data),
                              static_cast<T*>(out), sizes, a.is_transposed, b.is_transposed);
  } else if (a.columns == 1) {
    MultiplyColumnByRow(static_cast<const T*>(a.data), a.rows, static_cast<const T*>(b.data),
                        b.columns, static_cast<T*>(out));
  } else if (FitsLibrary(a) && FitsLibrary(b)) {
    return MultiplyByLibrary<T>(a, b, out, context);
  } else {
    return MultiplyWide<double>(DTypeOf<T>::value, a, b, out);
  }
  return Status();
}

}  // namespace

bool HasProduct(DType a, DType b, DType product) {
  constexpr DTypeSet kBytes = SetOf(DType::kInt8, DType::kUInt8);
  constexpr DTypeSet kOrBFloat16 = kBytes | SetOf(DType::kBFloat16);
  constexpr DTypeSet kOfThemselves =
      kContinuous | SetOf(DType::kInt16, DType::kInt32, DType::kInt64);
  if (a == b && b == product) return Contains(kOfThemselves, product);
  const bool are_bytes = Contains(kBytes, a) && Contains(kBytes, b);
  if (product == DType::kInt32) return are_bytes;
  return product == DType::kBFloat16 && !are_bytes && Contains(kOrBFloat16, a) &&
         Contains(kOrBFloat16, b);
}

Status Multiply(DType product, const Factor& a, const Factor& b, void* out,
                const KernelContext& context) {
  if (a.rows == 0 || b.columns == 0) return Status();
  if (product == DType::kFloat) return MultiplyFloats<float>(a, b, out, context);
  if (product == DType::kDouble) return MultiplyFloats<double>(a, b, out, context);
  if (IsComplex(product)) return MultiplyWide<std::complex<double>>(product, a, b, out);
  if (IsFloating(product)) return MultiplyWide<double>(product, a, b, out);
  return MultiplyWide<int64_t>(product, a, b, out);
}

}  // namespace tagflow::optimized
