// Running totals along one axis of a tensor.
//
// Element i of the output is the total of the elements up to i, in the order of the axis or, with
// the attr reverse, against it; with the attr exclusive it leaves element i itself out. Totals are
// kept in the widest type of the dtype's kind and narrowed where they are given out.

#include "optimized/formulas/scans.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the table below is of nothing else

namespace {

// How a tensor is seen from the axis: `outer` blocks of `count` rows of `inner` elements.
struct Extent {
  int64_t outer;
  int64_t count;
  int64_t inner;
  bool exclusive;
  bool reverse;
};

// One block. The first row begins as the total of nothing; each other follows from the one before.
template <typename S, typename W>
void ScanBlock(const W* x, W* out, W* totals, const Extent& extent) {
  std::fill_n(totals, extent.inner, static_cast<W>(S::kOfNothing));
  for (int64_t step = 0; step < extent.count; ++step) {
    const int64_t row = (extent.reverse ? extent.count - 1 - step : step) * extent.inner;
    for (int64_t i = 0; i < extent.inner; ++i) {
      const W next = S::Next(totals[i], x[row + i]);
      out[row + i] = extent.exclusive ? totals[i] : next;
      totals[i] = next;
    }
  }
}

template <typename S, typename W>
Status Scan(const Tensor& x, Tensor& out, const Extent& extent) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto from, ElementsAs<W>::OfWidest(x));
  TAGFLOW_ASSIGN_OR_RETURN(auto to, ElementsFor<W>::OfWidest(out));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor totals, Tensor::Allocate(DTypeOf<W>::value, Dims{extent.inner}));
  const int64_t block = extent.count * extent.inner;
  for (int64_t i = 0; i < extent.outer; ++i) {
    ScanBlock<S>(from.data() + i * block, to.data() + i * block,
                 static_cast<W*>(totals.mutable_raw_data()), extent);
  }
  to.Finish();
  return Status();
}

using ScanFunction = Status (*)(const Tensor& x, Tensor& out, const Extent& extent);
template <typename S>
ScanFunction FindScan(DType dtype) {
  return ForWidestType(dtype, []<typename W>(Computing<W>) -> ScanFunction {
    if constexpr (requires(W w) { S::Next(w, w); } &&
                  (std::same_as<W, double> || !std::same_as<S, CumulativeLogsumexp>)) {
      return Scan<S, W>;
    } else {
      return nullptr;
    }
  });
}

//   x: any shape;  axis: int32 or int64 scalar
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT for an axis that is no scalar, or not in
//   [-rank, rank)
template <typename S>
Result<BoundKernel> BindScan(const Binding& binding, DTypeSet dtypes) {
  const DType dtype = binding.input_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, dtypes));
  TAGFLOW_ASSIGN_OR_RETURN(const bool exclusive, BoolAttr(binding.node, "exclusive"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool reverse, BoolAttr(binding.node, "reverse"));
  return BoundKernel(
      [scan = FindScan<S>(dtype), exclusive, reverse](KernelContext& context) -> Status {
        const Tensor& x = context.input(0);
        TAGFLOW_ASSIGN_OR_RETURN(const int64_t given, ScalarInt(context.input(1), "axis"));
        TAGFLOW_ASSIGN_OR_RETURN(const int64_t axis, CanonicalAxis(given, x.rank(), "axis"));
        TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, x.dtype(), x.dims(), {0}));
        if (x.num_elements() == 0) return Status();
        const auto at = static_cast<size_t>(axis);
        return scan(x, *out,
                    {ProductOf(x.dims(), 0, at), x.dims()[at],
                     ProductOf(x.dims(), at + 1, x.dims().size()), exclusive, reverse});
      });
}

}  // namespace

Status RegisterScanKernels(KernelRegistry& registry) {
  return RegisterAll(
      registry, {
                    {"Cumprod", [](const Binding& b) { return BindScan<Cumprod>(b, kNumbers); }},
                    {"Cumsum", [](const Binding& b) { return BindScan<Cumsum>(b, kNumbers); }},
                    {"CumulativeLogsumexp",
                     [](const Binding& b) { return BindScan<CumulativeLogsumexp>(b, kFloats); }},
                });
}

}  // namespace tagflow::optimized
