#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"
#include "optimized/devices/gpu/kernels/product_bodies.h"
#include "optimized/devices/gpu/kernels/reduction_bodies.h"
#include "optimized/devices/gpu/kernels/softmax_bodies.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

// As [number.1] compares sums and products: the GPU adds in another order.
template <typename T>
Bounds BoundsOfTerms(double terms) {
  if (std::is_integral_v<T>) return {};
  constexpr double kEpsilons = 8, kMagnitudeMax = 4;  // of a term of TameNumbers
  return {.magnitude_relative = kEpsilons * std::numeric_limits<T>::epsilon(),
          .magnitude = kMagnitudeMax * terms};
}

// Eighths between -2 and 2, integers between -16 and 16.
template <typename T>
Tensor TameNumbers(const Dims& dims) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, dims);
  T* const out = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    out[i] = static_cast<T>(i * 7919 % 33 - 16) / T(std::is_integral_v<T> ? 1 : 8);
  }
  return tensor;
}

// Whose product is neither 0 nor infinite, but wraps.
template <typename T>
Tensor NumbersNearOne(const Dims& dims) {
  constexpr double kNear = 0x1p-16;
  Tensor tensor = TameNumbers<T>(dims);
  for (T& x : tensor.mutable_flat<T>()) {
    x = std::is_integral_v<T> ? T(2 * x + 1) : static_cast<T>(1 + kNear * static_cast<double>(x));
  }
  return tensor;
}

struct ComparesReductions {
  template <typename F>
  void operator()(const std::string& op, DType dtype) const {
    using C = typename F::Element;
    const bool has_axes = op != "L2Loss" && op != "BiasAddGrad";
    const Dims dims = {kRows, kColumns};
    const Tensor x = op == "Prod" ? NumbersNearOne<C>(dims) : TameNumbers<C>(dims);
    for (const std::vector<int32_t>& axes : kAxes) {
      if (!has_axes && axes.size() != 1) continue;
      std::vector<Tensor> inputs = {x};
      if (has_axes) inputs.push_back(Tensor::Vector<int32_t>(axes));
      Note(counts, "kernels", op + AttrsOf(dtype),
           CompareOp(op, AttrsOf(dtype), inputs, BoundsFor<C>(op)));
    }
  }
  template <typename C>
  static Bounds BoundsFor(const std::string& op) {
    if (op == "Max" || op == "Min") return {};
    if (op != "Prod" || std::is_integral_v<C>) return BoundsOfTerms<C>(kRows * kColumns);
    return {.relative = std::numeric_limits<C>::epsilon() * kRows * kColumns};
  }
  static constexpr int64_t kRows = 300, kColumns = 1001;
  static inline const std::vector<std::vector<int32_t>> kAxes = {{0}, {1}, {0, 1}};
  SuiteCounts& counts;
};

struct ComparesArgBest {
  template <typename F>
  void operator()(const std::string& op, DType dtype, DType index) const {
    constexpr int64_t kRows = 300, kColumns = 1001;
    const Tensor x = TameNumbers<typename F::Element>({kRows, kColumns});
    const std::string attrs = AttrsOf(dtype) + " output_type=" + DTypeName(index);
    for (const int32_t axis : {0, 1}) {
      Note(counts, "kernels", op + attrs,
           CompareOp(op, attrs, {x, Tensor::Scalar<int32_t>(axis)}, {}));
    }
  }
  SuiteCounts& counts;
};

// By cuBLAS, where it is found, else by a kernel of our own.
struct ComparesProducts {
  template <typename C>
  void operator()(const std::string& op, DType dtype) const {
    constexpr int64_t kRows = 70, kInner = 300, kColumns = 50, kBatch = 3;
    const Dims batch = op == "MatMul" ? Dims{} : Dims{kBatch};
    for (const bool a_is_transposed : {false, true}) {
      for (const bool b_is_transposed : {false, true}) {
        const Tensor a = Factor<C>(batch, kRows, kInner, a_is_transposed);
        const Tensor b = Factor<C>(batch, kInner, kColumns, b_is_transposed);
        const std::string attrs =
            AttrsOf(dtype) + Attr(op, 0, a_is_transposed) + Attr(op, 1, b_is_transposed);
        Note(counts, "kernels", op + attrs, CompareOp(op, attrs, {a, b}, BoundsOfTerms<C>(kInner)));
      }
    }
  }
  template <typename C>
  static Tensor Factor(Dims dims, int64_t rows, int64_t columns, bool is_transposed) {
    if (is_transposed) std::swap(rows, columns);
    dims.insert(dims.end(), {rows, columns});
    return TameNumbers<C>(dims);
  }
  static std::string Attr(const std::string& op, int factor, bool value) {
    constexpr const char* kNames[][2] = {{" transpose_a", " transpose_b"}, {" adj_x", " adj_y"}};
    return std::string(kNames[op == "MatMul" ? 0 : 1][factor]) + (value ? "=true" : "=false");
  }
  SuiteCounts& counts;
};

struct ComparesSoftmax {
  template <typename Passes>
  void operator()(const std::string& op, DType dtype) const {
    if (dtype == DType::kFloat) return Compare<float>(op, dtype);
    Compare<double>(op, dtype);
  }
  template <typename C>
  void Compare(const std::string& op, DType dtype) const {
    const Tensor x = TameNumbers<C>({kRows, kClasses});
    const std::string attrs = AttrsOf(dtype);
    if (op == "SoftmaxCrossEntropyWithLogits") {
      CompareLoss<C>(op, attrs, {x, TameNumbers<C>({kClasses})});
    } else if (op == "SparseSoftmaxCrossEntropyWithLogits") {
      CompareLoss<C>(op, attrs + " Tlabels=int32", {x, Labels<int32_t>(kClasses)});
      CompareLoss<C>(op, attrs + " Tlabels=int64", {x, Labels<int64_t>(kClasses)});
      CompareLoss<C>(op, attrs + " Tlabels=int64", {x, Labels<int64_t>(kClasses + 1)});  // refused
    } else {
      Note(counts, "kernels", op + attrs, CompareOp(op, attrs, {x}, BoundsOfTerms<C>(kClasses)));
    }
  }
  template <typename C>
  void CompareLoss(const std::string& op, const std::string& attrs,
                   const std::vector<Tensor>& inputs) const {
    for (int output = 0; output < 2; ++output) {
      Note(counts, "kernels", op + attrs,
           CompareOp(op, attrs, inputs, BoundsOfTerms<C>(kClasses), output));
    }
  }
  // From the last class down.
  template <typename I>
  static Tensor Labels(int64_t classes) {
    std::vector<I> labels;
    for (int64_t row = 0; row < kRows; ++row) labels.push_back(static_cast<I>(classes - 1 - row));
    return Tensor::Vector<I>(labels);
  }
  static constexpr int64_t kRows = 100, kClasses = 1001;
  SuiteCounts& counts;
};

}  // namespace

SuiteCounts CompareReducingKernels() {
  SuiteCounts counts;
  ForEachReduction(ComparesReductions{counts});
  ForEachArgBest(ComparesArgBest{counts});
  ForEachProduct(ComparesProducts{counts});
  ForEachSoftmax(ComparesSoftmax{counts});
  return counts;
}

}  // namespace tagflow::conformance
