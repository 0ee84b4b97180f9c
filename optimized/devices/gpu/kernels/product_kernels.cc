// Products of matrices: by cuBLAS where there is one that can, else by a kernel of our own.

#include <optional>
#include <string>
#include <utility>

#include "optimized/devices/gpu/cublas.h"
#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/short_floats.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/product_shapes.h"

namespace tagflow::optimized {
namespace {

using Launch = cudaError_t (*)(const ProductArgs&, cudaStream_t);

// How an op reads its factors.
struct Form {
  const char* a_attr;
  const char* b_attr;
  bool is_single;  // no batches
  bool is_equal;   // batches of one shape
};
Form FormOf(const std::string& op) {
  if (op == "MatMul") return {"transpose_a", "transpose_b", true, false};
  return {"adj_x", "adj_y", false, op == "BatchMatMul"};
}

struct Product {
  Launch launch;  // null: of a short float, without cuBLAS by `in_float`
  DType dtype;
  Form form;
  bool a_is_transposed, b_is_transposed;  // real numbers are their own conjugates
  BoundKernel in_float = {};

  Status operator()(KernelContext& context) const;
  //   Errors: INVALID_ARGUMENT (shapes), UNIMPLEMENTED, see PlacesOf
  Result<ProductArgs> Args(const KernelContext& context, Dims& output) const;
};

Result<ProductArgs> Product::Args(const KernelContext& context, Dims& output) const {
  const DimsView a = context.input(0).dims(), b = context.input(1).dims();
  TAGFLOW_RETURN_IF_ERROR(RequireMatrices(a, b, form.is_single));
  if (form.is_equal) TAGFLOW_RETURN_IF_ERROR(RequireOneBatch(a, b));
  ProductArgs args = {};
  const int64_t a_columns = a[a.size() - (a_is_transposed ? 2 : 1)];
  const int64_t b_rows = b[b.size() - (b_is_transposed ? 1 : 2)];
  TAGFLOW_RETURN_IF_ERROR(RequireOneInnerSize(a, b, a_columns, b_rows));
  args.rows = a[a.size() - (a_is_transposed ? 1 : 2)];
  args.inner = a_columns;
  args.columns = b[b.size() - (b_is_transposed ? 2 : 1)];
  TAGFLOW_ASSIGN_OR_RETURN(output, BroadcastShape(BatchOf(a), BatchOf(b)));
  TAGFLOW_ASSIGN_OR_RETURN(args.batches, PlacesOf(BatchOf(a), BatchOf(b), output));
  output.insert(output.end(), {args.rows, args.columns});
  args.a = PlacesOfFactor(nullptr, args.rows, args.inner, a_is_transposed, BatchOf(a).empty());
  args.b = PlacesOfFactor(nullptr, args.inner, args.columns, b_is_transposed, BatchOf(b).empty());
  return args;
}

// Elements from the matrix of one batch to the next, if there is one such number.
std::optional<int64_t> StrideOf(const FactorPlaces& factor, const PairPlaces& batches,
                                const int64_t* strides) {
  if (factor.is_single) return 0;
  if (batches.rank == 0) return factor.size;
  if (batches.rank == 1) return strides[0] * factor.size;
  return std::nullopt;
}

std::optional<CublasProduct> ForCublas(const Product& product, const ProductArgs& args) {
  const auto a_stride = StrideOf(args.a, args.batches, args.batches.x_strides);
  const auto b_stride = StrideOf(args.b, args.batches, args.batches.y_strides);
  if (!IsFloating(product.dtype) || !a_stride || !b_stride) return std::nullopt;
  const CublasProduct made = {args.a.data,
                              args.b.data,
                              args.out,
                              product.dtype,
                              product.a_is_transposed,
                              product.b_is_transposed,
                              args.rows,
                              args.inner,
                              args.columns,
                              args.count / (args.rows * args.columns),
                              *a_stride,
                              *b_stride};
  if (!FitsCublas(made)) return std::nullopt;
  return made;
}

Status Product::operator()(KernelContext& context) const {
  Dims output;
  TAGFLOW_ASSIGN_OR_RETURN(ProductArgs args, Args(context, output));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, 0, dtype, output));
  args.count = out->num_elements();
  if (args.count == 0) return Status();
  args.a.data = CudaMemory::Address(context.input(0));
  args.b.data = CudaMemory::Address(context.input(1));
  args.out = CudaMemory::Address(*out);
  CudaStream& stream = SelectedStream(context);
  const auto by_cublas = ForCublas(*this, args);
  const CublasApi* const cublas = by_cublas ? Cuda().cublas() : nullptr;
  if (cublas == nullptr) {
    return launch != nullptr ? LaunchOn(context, launch, args) : in_float(context);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor workspace, NewRoom(context, cublas::kWorkspaceBytes));
  return MultiplyByCublas(*cublas, stream.ordinal(), stream.handle(), *by_cublas,
                          CudaMemory::Address(workspace));
}

// launch: null: of a short float, of which in_float is the kernel in float
Binder BinderOf(const std::string& op, Launch launch, const Binder& in_float = nullptr) {
  const Form form = FormOf(op);
  return [=, on_host = HostKernel(op).bind](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const bool a_is_transposed, BoolAttr(binding.node, form.a_attr));
    TAGFLOW_ASSIGN_OR_RETURN(const bool b_is_transposed, BoolAttr(binding.node, form.b_attr));
    Product product = {launch, binding.output_dtype(0), form, a_is_transposed, b_is_transposed};
    if (launch == nullptr) {
      TAGFLOW_ASSIGN_OR_RETURN(product.in_float, BindInFloat(in_float, on_host, binding));
    }
    return BoundKernel(std::move(product));
  };
}

}  // namespace

void RegisterGpuProductKernels(KernelRegistry& registry) {
  const auto add = [&](const std::string& op, DType dtype, const Binder& bind) {
    RegisterForGpu(op, dtype, {.bind = bind, .cost = Cost::kHeavy}, registry);
  };
  for (const auto& each : Cuda().product_launches()) {
    const Binder bind = BinderOf(each.op, each.launch);
    add(each.op, each.dtype, bind);
    if (each.dtype != DType::kFloat) continue;
    add(each.op, DType::kHalf, BinderOf(each.op, nullptr, bind));
    add(each.op, DType::kBFloat16, BinderOf(each.op, nullptr, bind));
  }
}

}  // namespace tagflow::optimized
