// Ops that share rows out and put them together: DynamicPartition, DynamicStitch, and
// ParallelDynamicStitch, which may let any of several rows win and here lets the last.

#include <algorithm>
#include <string>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// Whether `dims` begin with `prefix`.
bool BeginsWith(DimsView dims, DimsView prefix) {
  return dims.size() >= prefix.size() && SameDims(dims.first(prefix.size()), prefix);
}

// How many rows go to each of `count` partitions.
Result<std::vector<int64_t>> CountRows(const IntView& partitions, int64_t count) {
  std::vector<int64_t> rows(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i] < 0 || partitions[i] >= count) {
      return InvalidArgument("partitions[" + std::to_string(i) +
                             "] = " + std::to_string(partitions[i]) + " is not in [0, " +
                             std::to_string(count) + ")");
    }
    ++rows[static_cast<size_t>(partitions[i])];
  }
  return rows;
}

// The rows of data whose partition is p, in order, for each p in [0, count).
//   data: T, shape that begins as the partitions'; partitions: int32
Status DynamicPartition(KernelContext& context, int64_t count) {
  const Tensor& data = context.input(0);
  const DimsView dims = data.dims();
  const DimsView prefix = context.input(1).dims();
  if (!BeginsWith(dims, prefix)) {
    return InvalidArgument("data of shape " + DimsString(dims) +
                           " must begin with the shape of its partitions, " + DimsString(prefix));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView partitions, IntView::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, CountRows(partitions, count));
  std::vector<void*> next;  // where the next row of each partition goes
  for (int64_t p = 0; p < count; ++p) {
    SmallDims shape(1, rows[static_cast<size_t>(p)]);
    shape.append(dims.subspan(prefix.size()));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out,
                             context.Allocate(static_cast<int>(p), data.dtype(), shape));
    next.push_back(out->mutable_raw_data());
  }
  const int64_t size = ProductOf(dims, prefix.size(), dims.size());
  if (data.num_elements() == 0) return Status();
  const Mover& mover = MoverOf(data.dtype());
  for (int64_t i = 0; i < partitions.size(); ++i) {
    void*& to = next[static_cast<size_t>(partitions[i])];
    mover.run(mover.At(data.raw_data(), i * size), to, size);
    to = mover.At(to, size);
  }
  return Status();
}

Result<BoundKernel> BindDynamicPartition(const Binding& binding) {
  const auto count = static_cast<int64_t>(binding.signature.outputs.size());
  return BoundKernel([count](KernelContext& context) { return DynamicPartition(context, count); });
}

// One pair of inputs of DynamicStitch.
struct Stitch {
  IntView rows;
  const Tensor& data;
};

// Input i holds indices, input n + i the data for them; each data has `slice` after its indices.
Result<std::vector<Stitch>> ReadStitches(const KernelContext& context, SmallDims& slice) {
  const int n = context.num_inputs() / 2;
  std::vector<Stitch> stitches;
  for (int i = 0; i < n; ++i) {
    const DimsView prefix = context.input(i).dims();
    const DimsView dims = context.input(n + i).dims();
    const bool fits = BeginsWith(dims, prefix);
    if (i == 0 && fits) slice = SmallDims(dims.subspan(prefix.size()));
    if (!fits || !SameDims(dims.subspan(prefix.size()), slice)) {
      return InvalidArgument("data[" + std::to_string(i) + "].shape = " + DimsString(dims) +
                             " must be indices[" + std::to_string(i) +
                             "].shape = " + DimsString(prefix) +
                             " and what data[0].shape has after its own, " + DimsString(slice));
    }
    TAGFLOW_ASSIGN_OR_RETURN(IntView rows, IntView::Of(context.input(i)));
    stitches.push_back({std::move(rows), context.input(n + i)});
  }
  return stitches;
}

// How many rows the indices name: one more than the highest.
int64_t CountRows(const std::vector<Stitch>& stitches) {
  int64_t count = 0;
  for (const Stitch& stitch : stitches) {
    for (int64_t i = 0; i < stitch.rows.size(); ++i) count = std::max(count, stitch.rows[i] + 1);
  }
  return count;
}

Status CheckRows(const IntView& rows, size_t s) {
  for (int64_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0) continue;
    return InvalidArgument("indices[" + std::to_string(s) + "] holds " + std::to_string(rows[i]) +
                           ", which is out of range");
  }
  return Status();
}

// Row indices[i] of the output is row i of the data; of several the last wins, rows nobody names
// are zero.
//   indices: n of int32; data: n, each with the shape of its indices and then one common shape
Status DynamicStitch(KernelContext& context) {
  SmallDims dims;
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Stitch> stitches, ReadStitches(context, dims));
  const int64_t size = ProductOf(dims);
  dims.insert(0, CountRows(stitches));
  const DType dtype = stitches[0].data.dtype();
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(dtype, dims));
  const Mover& mover = MoverOf(dtype);
  void* to = context.output(0).mutable_raw_data();
  for (size_t s = 0; s < stitches.size(); ++s) {
    const Stitch& stitch = stitches[s];
    TAGFLOW_RETURN_IF_ERROR(CheckRows(stitch.rows, s));
    for (int64_t i = 0; size > 0 && i < stitch.rows.size(); ++i) {
      mover.run(mover.At(stitch.data.raw_data(), i * size), mover.At(to, stitch.rows[i] * size),
                size);
    }
  }
  return Status();
}

Result<BoundKernel> BindDynamicStitch(const Binding&) { return BoundKernel(DynamicStitch); }

}  // namespace

Status RegisterPartitionKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"DynamicPartition", BindDynamicPartition},
                                   {"DynamicStitch", BindDynamicStitch},
                                   {"ParallelDynamicStitch", BindDynamicStitch},
                               });
}

}  // namespace tagflow::optimized
