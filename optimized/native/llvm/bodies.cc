// Compiled loops call these functions: "Add_i32", for an element of an elementwise op, is
// formulas::Add of int32_t. Clang makes LLVM's bitcode of this file, which libtagflow_native.so has
// in it; what a loop calls is inlined. So an op's arithmetic is written once, for the kernels, for
// GPUs and for machine code.
//
// A formula that is not listed here has no machine code: loops with its op are interpreted.

#include <cstdint>
#include <cstring>
#include <utility>

#include "optimized/formulas/activations.h"
#include "optimized/formulas/arithmetic.h"
#include "optimized/formulas/casts.h"
#include "optimized/formulas/comparisons.h"
#include "optimized/formulas/functions.h"
#include "optimized/formulas/gradients.h"
#include "optimized/formulas/products.h"
#include "optimized/formulas/reductions.h"
#include "optimized/native/cells.h"

namespace tagflow::optimized::formulas {
namespace {

using i32 = int32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f32 = float;
using f64 = double;

}  // namespace

#define PAIR(F, T) \
  extern "C" auto F##_##T(T x, T y)->decltype(F()(x, y)) { return F()(x, y); }
#define MAP(F, T) \
  extern "C" auto F##_##T(T x)->decltype(F()(x)) { return F()(x); }
#define REFUSAL(F, T) \
  extern "C" bool F##_##T##_refuses(T x, T y) { return F::Refuses(x, y) != nullptr; }
#define CAST(From, To, name) \
  extern "C" To Cast_##From##_##name(From x) { return Converted<To>(x); }

#define INTEGER_PAIRS(F) PAIR(F, i32) PAIR(F, i64) PAIR(F, u64)
#define FLOAT_PAIRS(F) PAIR(F, f32) PAIR(F, f64)
#define REAL_PAIRS(F) INTEGER_PAIRS(F) FLOAT_PAIRS(F)
#define INTEGER_REFUSALS(F) REFUSAL(F, i32) REFUSAL(F, i64) REFUSAL(F, u64)
#define FLOAT_MAPS(F) MAP(F, f32) MAP(F, f64)
#define REAL_MAPS(F) MAP(F, i32) MAP(F, i64) MAP(F, u64) FLOAT_MAPS(F)

REAL_PAIRS(Add)
REAL_PAIRS(Sub)
REAL_PAIRS(Mul)
REAL_PAIRS(Div)
INTEGER_REFUSALS(Div)
REAL_PAIRS(TruncateDiv)
INTEGER_REFUSALS(TruncateDiv)
REAL_PAIRS(FloorDiv)
INTEGER_REFUSALS(FloorDiv)
REAL_PAIRS(TruncateMod)
INTEGER_REFUSALS(TruncateMod)
REAL_PAIRS(FloorMod)
INTEGER_REFUSALS(FloorMod)
FLOAT_PAIRS(DivNoNan)
FLOAT_PAIRS(MulNoNan)
FLOAT_PAIRS(Atan2)
FLOAT_PAIRS(NextAfter)
REAL_PAIRS(Pow)
INTEGER_REFUSALS(Pow)
REAL_PAIRS(Maximum)
REAL_PAIRS(Minimum)
REAL_PAIRS(SquaredDifference)

REAL_PAIRS(Equal)
REAL_PAIRS(NotEqual)
REAL_PAIRS(Less)
REAL_PAIRS(LessEqual)
REAL_PAIRS(Greater)
REAL_PAIRS(GreaterEqual)
PAIR(Equal, bool)
PAIR(NotEqual, bool)
PAIR(LogicalAnd, bool)
PAIR(LogicalOr, bool)
MAP(LogicalNot, bool)

REAL_MAPS(Neg)
REAL_MAPS(Abs)
REAL_MAPS(Sign)
REAL_MAPS(Square)
REAL_MAPS(Round)
FLOAT_MAPS(Floor)
FLOAT_MAPS(Ceil)
FLOAT_MAPS(Reciprocal)
FLOAT_MAPS(Sqrt)
FLOAT_MAPS(Exp)
FLOAT_MAPS(Sigmoid)
FLOAT_MAPS(Tanh)
FLOAT_MAPS(IsNan)
FLOAT_MAPS(IsInf)
FLOAT_MAPS(IsFinite)

REAL_MAPS(Relu)
REAL_MAPS(Relu6)
REAL_PAIRS(ReluGrad)
REAL_PAIRS(Relu6Grad)
FLOAT_MAPS(Elu)
FLOAT_PAIRS(EluGrad)
FLOAT_MAPS(Selu)
FLOAT_PAIRS(SeluGrad)
FLOAT_PAIRS(SoftplusGrad)
FLOAT_MAPS(Softsign)
FLOAT_PAIRS(SoftsignGrad)
FLOAT_PAIRS(TanhGrad)
FLOAT_PAIRS(SigmoidGrad)
FLOAT_PAIRS(SqrtGrad)
FLOAT_PAIRS(RsqrtGrad)
FLOAT_PAIRS(ReciprocalGrad)

// Functions of double.
MAP(Softplus, f64)
MAP(Acos, f64)
MAP(Acosh, f64)
MAP(Asin, f64)
MAP(Asinh, f64)
MAP(Atan, f64)
MAP(Atanh, f64)
MAP(Cos, f64)
MAP(Cosh, f64)
MAP(Expm1, f64)
MAP(Log, f64)
MAP(Log1p, f64)
MAP(Rsqrt, f64)
MAP(Sin, f64)
MAP(Sinh, f64)
MAP(Tan, f64)

#define CASTS_TO(To, name) \
  CAST(bool, To, name)     \
  CAST(i32, To, name) CAST(i64, To, name) CAST(f32, To, name) CAST(f64, To, name)
CASTS_TO(bool, bool)
CASTS_TO(i32, i32)
CASTS_TO(i64, i64)
CASTS_TO(f32, f32)
CASTS_TO(f64, f64)

// Whole tensors; what says how large they are is constant where they are called.
#define REDUCTION(F, T)                                                          \
  extern "C" void F##_##T##_rows(const T* x, T* out, i64 rows, i64 columns) {    \
    FoldRows<F>(x, out, rows, columns);                                          \
  }                                                                              \
  extern "C" void F##_##T##_columns(const T* x, T* out, i64 rows, i64 columns) { \
    FoldColumns<F>(x, out, rows, columns);                                       \
  }
#define FLOAT_REDUCTIONS(F) REDUCTION(F, f32) REDUCTION(F, f64)
#define REAL_REDUCTIONS(F) FLOAT_REDUCTIONS(F) REDUCTION(F, i32) REDUCTION(F, i64)

REAL_REDUCTIONS(Sum)
REAL_REDUCTIONS(Prod)
REAL_REDUCTIONS(Mean)
REAL_REDUCTIONS(EuclideanNorm)
REAL_REDUCTIONS(Max)
REAL_REDUCTIONS(Min)
FLOAT_REDUCTIONS(HalfOfSquares)
REDUCTION(All, bool)
REDUCTION(Any, bool)

#define PRODUCT(T)                                                                              \
  extern "C" void Product_##T(const T* x, const T* y, T* out, i64 rows, i64 depth, i64 columns, \
                              i64 transpose_x, i64 transpose_y) {                               \
    MultiplyInOrder(x, y, out, {rows, depth, columns}, transpose_x != 0, transpose_y != 0);     \
  }
PRODUCT(f32)
PRODUCT(f64)

// Rows of `size` bytes, `step` bytes apart in `out`.
extern "C" void CopyRows(const char* x, char* out, i64 rows, i64 size, i64 step) {
  for (i64 row = 0; row < rows; ++row)
    std::memcpy(out + row * step, x + row * size, static_cast<size_t>(size));
}

}  // namespace tagflow::optimized::formulas

// Compiled loops call these for the elements of stacks, arrays and lists.
namespace tagflow::optimized::access {
namespace {

using i64 = int64_t;
using u64 = uint64_t;
using u16 = uint16_t;

}  // namespace

#define PUTS(F, Kind)                                                   \
  extern "C" bool F(Kind* cells, u64 bits, u16 header) {                \
    return optimized::F(cells, bits, header);                           \
  }                                                                     \
  extern "C" Cell* F##Cell(Kind* cells, u16 header, const void* type) { \
    return optimized::F##Cell(cells, header, type);                     \
  }
#define TAKES(F, Kind)                                                                            \
  extern "C" bool F(Kind* cells, u64* bits, u16 header) {                                         \
    return optimized::F(cells, bits, header);                                                     \
  }                                                                                               \
  extern "C" Cell* F##Cell(Kind* cells, u16 header) { return optimized::F##Cell(cells, header); } \
  extern "C" bool F##Keeps(const Kind* cells) { return optimized::F##Keeps(cells); }
#define PUTS_AT(F, Kind)                                                           \
  extern "C" bool F(Kind* cells, i64 index, u64 bits, u16 header) {                \
    return optimized::F(cells, index, bits, header);                               \
  }                                                                                \
  extern "C" Cell* F##Cell(Kind* cells, i64 index, u16 header, const void* type) { \
    return optimized::F##Cell(cells, index, header, type);                         \
  }
#define TAKES_AT(F, Kind)                                            \
  extern "C" bool F(Kind* cells, i64 index, u64* bits, u16 header) { \
    return optimized::F(cells, index, bits, header);                 \
  }                                                                  \
  extern "C" Cell* F##Cell(Kind* cells, i64 index, u16 header) {     \
    return optimized::F##Cell(cells, index, header);                 \
  }                                                                  \
  extern "C" bool F##Keeps(const Kind* cells) { return optimized::F##Keeps(cells); }

PUTS(StackPush, StackCells)
TAKES(StackPop, StackCells)
PUTS_AT(ArrayWrite, ArrayCells)
TAKES_AT(ArrayRead, ArrayCells)
PUTS(ListPush, ListCells)
TAKES(ListPop, ListCells)
PUTS_AT(ListWrite, ListCells)
TAKES_AT(ListRead, ListCells)

}  // namespace tagflow::optimized::access
