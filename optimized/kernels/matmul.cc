// MatMul, and BatchMatMul in its three forms: products of matrices (product.h), one or many.

#include <cblas.h>

#include <memory>
#include <utility>
#include <vector>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/part.h"
#include "optimized/kernels/product.h"
#include "optimized/kernels/product_shapes.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// How a node reads its factors.
struct Reading {
  bool is_transposed;
  bool is_conjugated;
};

Factor FactorOf(const Tensor& tensor, const Reading& reading) {
  const DimsView dims = tensor.dims();
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  return {tensor.raw_data(),
          tensor.dtype(),
          reading.is_transposed ? columns : rows,
          reading.is_transposed ? rows : columns,
          reading.is_transposed,
          reading.is_conjugated};
}

//   inputs: two matrices; the attrs transpose_a and transpose_b say how to read them
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (not matrices, inner sizes differ)
Result<BoundKernel> BindMatMul(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!HasProduct(dtype, dtype, dtype)) return NoKernelFor(binding, dtype);
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_a, BoolAttr(binding.node, "transpose_a"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool transpose_b, BoolAttr(binding.node, "transpose_b"));
  std::shared_ptr<KeptPanels> kept;
  if (binding.IsConstant(1)) kept = std::make_shared<KeptPanels>();
  const auto multiply = [dtype, transpose_a, transpose_b, kept](KernelContext& context) -> Status {
    const DimsView of_a = context.input(0).dims(), of_b = context.input(1).dims();
    TAGFLOW_RETURN_IF_ERROR(RequireMatrices(of_a, of_b, /*is_single=*/true));
    const Factor a = FactorOf(context.input(0), {transpose_a, false});
    Factor b = FactorOf(context.input(1), {transpose_b, false});
    b.constant = &context.input(1);
    b.kept = kept.get();
    TAGFLOW_RETURN_IF_ERROR(RequireOneInnerSize(of_a, of_b, a.columns, b.rows));
    const int64_t dims[] = {a.rows, b.columns};
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
    return Multiply(dtype, a, b, out->mutable_raw_data(), context);
  };
  if (dtype != DType::kFloat && dtype != DType::kDouble) return BoundKernel(multiply);
  return BindPart(ProductPart{dtype, transpose_a, transpose_b}, multiply);
}

// Many products of matrices of one size, some at a time.
class Products {
 public:
  Products(const KernelContext& context, DType dtype, const Factor& a, const Factor& b, void* out)
      : context_(context), dtype_(dtype), a_(a), b_(b), out_(static_cast<char*>(out)) {}

  // The next product is that of these: matrices `of_a` and `of_b` of all.
  Status Add(int64_t of_a, int64_t of_b) {
    pairs_.emplace_back(of_a, of_b);
    return pairs_.size() < kMost ? Status() : Flush();
  }
  Status Flush() {
    const auto count = static_cast<int64_t>(pairs_.size());
    const Status status = context_.TryRanges(
        count, ProductNs(), [&](int64_t begin, int64_t end) { return Multiply(begin, end); });
    out_ += count * SizeOf(dtype_, a_.rows, b_.columns);
    pairs_.clear();
    return status;
  }

 private:
  static constexpr size_t kMost = 4096;
  static int64_t SizeOf(DType dtype, int64_t rows, int64_t columns) {
    return static_cast<int64_t>(DTypeSize(dtype)) * rows * columns;
  }
  double ProductNs() const {
    constexpr double kNanoseconds = 0.03;  // about how long a multiplication and addition takes
    return kNanoseconds * static_cast<double>(a_.rows) * static_cast<double>(a_.columns) *
           static_cast<double>(b_.columns);
  }
  Status Multiply(int64_t begin, int64_t end) const {
    Factor a = a_, b = b_;
    for (int64_t i = begin; i < end; ++i) {
      const auto [of_a, of_b] = pairs_[static_cast<size_t>(i)];
      a.data = static_cast<const char*>(a_.data) + of_a * SizeOf(a.dtype, a.rows, a.columns);
      b.data = static_cast<const char*>(b_.data) + of_b * SizeOf(b.dtype, b.rows, b.columns);
      void* const to = out_ + i * SizeOf(dtype_, a.rows, b.columns);
      TAGFLOW_RETURN_IF_ERROR(optimized::Multiply(dtype_, a, b, to, context_));
    }
    return Status();
  }

  const KernelContext& context_;
  const DType dtype_;
  const Factor a_, b_;
  char* out_;
  std::vector<std::pair<int64_t, int64_t>> pairs_;
};

// Multiplies matrix number i of each batch, which broadcast to the shape `batch`.
Status MultiplyEach(KernelContext& context, DType dtype, const Factor& a, const Factor& b,
                    DimsView batch) {
  const BroadcastRows rows({BatchOf(context.input(0).dims()), BatchOf(context.input(1).dims())},
                           batch);
  Products products(context, dtype, a, b, context.output(0).mutable_raw_data());
  Status status;
  rows.ForEach([&](const int64_t* offsets) {
    for (int64_t i = 0; i < rows.row_size() && status.ok(); ++i) {
      status = products.Add(offsets[0] + i * rows.step(0), offsets[1] + i * rows.step(1));
    }
    return status.ok();
  });
  TAGFLOW_RETURN_IF_ERROR(status);
  return products.Flush();
}

//   inputs: [..., r, k] and [..., k, c]; the attrs adj_x and adj_y say which to conjugate and
//   transpose
//   equal: whether the batches must have one shape, and not only broadcast
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (shapes), RESOURCE_EXHAUSTED
Result<BoundKernel> BindBatches(const Binding& binding, bool equal) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_x, BoolAttr(binding.node, "adj_x"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool adjoint_y, BoolAttr(binding.node, "adj_y"));
  return BoundKernel([dtype, adjoint_x, adjoint_y, equal](KernelContext& context) -> Status {
    const DimsView of_x = context.input(0).dims(), of_y = context.input(1).dims();
    TAGFLOW_RETURN_IF_ERROR(RequireMatrices(of_x, of_y, /*is_single=*/false));
    if (equal) TAGFLOW_RETURN_IF_ERROR(RequireOneBatch(of_x, of_y));
    const Factor a = FactorOf(context.input(0), {adjoint_x, adjoint_x});
    const Factor b = FactorOf(context.input(1), {adjoint_y, adjoint_y});
    TAGFLOW_RETURN_IF_ERROR(RequireOneInnerSize(of_x, of_y, a.columns, b.rows));
    TAGFLOW_ASSIGN_OR_RETURN(const Dims batch, BroadcastShape(BatchOf(of_x), BatchOf(of_y)));
    Dims dims = batch;
    dims.insert(dims.end(), {a.rows, b.columns});
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, dtype, dims));
    if (out->num_elements() == 0) return Status();
    return MultiplyEach(context, dtype, a, b, batch);
  });
}

Result<BoundKernel> BindEqualBatches(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!HasProduct(dtype, dtype, dtype)) return NoKernelFor(binding, dtype);
  return BindBatches(binding, /*equal=*/true);
}
Result<BoundKernel> BindBroadcastBatches(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (!HasProduct(dtype, dtype, dtype)) return NoKernelFor(binding, dtype);
  return BindBatches(binding, /*equal=*/false);
}
// Of factors whose dtypes may differ from each other's and from the product's; half is no product.
Result<BoundKernel> BindMixedBatches(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  if (dtype == DType::kHalf || !HasProduct(binding.input_dtype(0), binding.input_dtype(1), dtype)) {
    return NoKernelFor(binding, dtype);
  }
  return BindBatches(binding, /*equal=*/false);
}

}  // namespace

Status RegisterMatMulKernels(KernelRegistry& registry) {
  // Its threads would compete with the engine's, where it has any.
  openblas_set_num_threads(1);
  return RegisterAll(registry, {
                                   {"BatchMatMul", BindEqualBatches, Cost::kHeavy},
                                   {"BatchMatMulV2", BindBroadcastBatches, Cost::kHeavy},
                                   {"BatchMatMulV3", BindMixedBatches, Cost::kHeavy},
                                   {"MatMul", BindMatMul, Cost::kHeavy},
                               });
}

}  // namespace tagflow::optimized
