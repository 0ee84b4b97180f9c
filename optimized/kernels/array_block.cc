// Ops that trade dimensions for one another block by block: SpaceToBatchND, BatchToSpaceND,
// SpaceToBatch, BatchToSpace, SpaceToDepth, DepthToSpace.

#include <string>
#include <utility>

#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/index_input.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/parts.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/strided_copy.h"

namespace tagflow::optimized {
namespace {

// ---- Space and batch ----

// Dimension 1 + i of the space is cut into blocks of sizes[i], after it was given margins.
struct Blocks {
  SmallDims sizes;
  SmallDims before, after;
  int64_t volume = 1;  // places in a block, numbered row by row
};

Result<Blocks> MakeBlocks(const Tensor& input, SmallDims sizes, const Tensor& margins) {
  if (static_cast<size_t>(input.rank()) <= sizes.size()) {
    return InvalidArgument("input rank should be >= " + std::to_string(sizes.size() + 1) +
                           " instead of " + std::to_string(input.rank()));
  }
  if (margins.rank() != 2 || margins.dim(0) != static_cast<int64_t>(sizes.size()) ||
      margins.dim(1) != 2) {
    return InvalidArgument("paddings or crops should have a row of 2 for each of the " +
                           std::to_string(sizes.size()) +
                           " dimensions of a block, but have shape " + DimsString(margins.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims values, IndexValues(margins));
  Blocks blocks{std::move(sizes), {}, {}};
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    if (blocks.sizes[i] < 1) {
      return InvalidArgument("All values in block_shape must be positive, got value " +
                             std::to_string(blocks.sizes[i]) + " at index " + std::to_string(i));
    }
    if (values[2 * i] < 0 || values[2 * i + 1] < 0) {
      return InvalidArgument("paddings and crops must be non-negative");
    }
    if (__builtin_mul_overflow(blocks.volume, blocks.sizes[i], &blocks.volume)) {
      return InvalidArgument("Product of block sizes must fit into int64");
    }
    blocks.before.push_back(values[2 * i]);
    blocks.after.push_back(values[2 * i + 1]);
  }
  return blocks;
}

// [batch * volume, (dim + margins) / size, …, the rest]
Result<SmallDims> DimsToBatch(DimsView input, const Blocks& blocks) {
  SmallDims dims(input);
  if (__builtin_mul_overflow(dims[0], blocks.volume, &dims[0])) return DimensionOverflows();
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    int64_t& dim = dims[i + 1];
    if (__builtin_add_overflow(dim, blocks.before[i], &dim) ||
        __builtin_add_overflow(dim, blocks.after[i], &dim)) {
      return DimensionOverflows();
    }
    if (dim % blocks.sizes[i] != 0) {
      return InvalidArgument("padded_shape[" + std::to_string(i) + "]=" + std::to_string(dim) +
                             " is not divisible by block_shape[" + std::to_string(i) +
                             "]=" + std::to_string(blocks.sizes[i]));
    }
    dim /= blocks.sizes[i];
  }
  return dims;
}

// [batch / volume, dim * size - margins, …, the rest]
Result<SmallDims> DimsToSpace(DimsView input, const Blocks& blocks) {
  SmallDims dims(input);
  if (dims[0] % blocks.volume != 0) {
    return InvalidArgument("Input batch dimension (" + std::to_string(dims[0]) +
                           ") is not divisible by product of block sizes (" +
                           std::to_string(blocks.volume) + ")");
  }
  dims[0] /= blocks.volume;
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    int64_t& dim = dims[i + 1];
    if (__builtin_mul_overflow(dim, blocks.sizes[i], &dim)) return DimensionOverflows();
    if (blocks.before[i] > dim || blocks.after[i] > dim - blocks.before[i]) {
      return InvalidArgument("cropped_shape[" + std::to_string(i) +
                             "] must be non-negative: the crops are larger than " +
                             std::to_string(dim));
    }
    dim -= blocks.before[i] + blocks.after[i];
  }
  return dims;
}

// One side of the trade: a tensor and where in it a walk begins.
struct Side {
  SmallDims strides;
  int64_t first = 0;
};

// The elements that are at place number `place` of their blocks, walked in the space and in the
// batch: space[b, s * size + p - before, …] is batch[place * batch + b, s, …].
class PlaceWalk {
 public:
  PlaceWalk(const Blocks& blocks, DimsView space, DimsView batch)
      : blocks_(blocks), dims_(space), space_{StridesOf(space)}, batch_{StridesOf(batch)} {}

  enum class Into { kBatch, kSpace };
  void Run(int64_t place, Into into, const Mover& mover, const Tensor& from, Tensor& to) {
    space_.first = 0;
    batch_.first = place * dims_[0] * batch_.strides[0];
    StridedCopy copy;
    auto add = [&](int64_t size, int64_t space_step, int64_t batch_step) {
      const bool swapped = into == Into::kSpace;
      copy.Add(size, swapped ? batch_step : space_step, swapped ? space_step : batch_step);
    };
    add(dims_[0], space_.strides[0], batch_.strides[0]);
    const SmallDims place_strides = StridesOf(blocks_.sizes);
    for (size_t d = 1; d < dims_.size(); ++d) {
      if (d > blocks_.sizes.size()) {
        add(dims_[d], space_.strides[d], batch_.strides[d]);
        continue;
      }
      const int64_t size = blocks_.sizes[d - 1];
      add(Enter(d, place / place_strides[d - 1] % size), size * space_.strides[d],
          batch_.strides[d]);
    }
    const Side& source = into == Into::kBatch ? space_ : batch_;
    const Side& target = into == Into::kBatch ? batch_ : space_;
    copy.Run(mover, mover.At(from.raw_data(), source.first),
             mover.At(to.mutable_raw_data(), target.first));
  }

 private:
  // Moves both sides to the first block along dimension d whose place `p` is in the space; returns
  // how many such blocks there are.
  int64_t Enter(size_t d, int64_t p) {
    const int64_t size = blocks_.sizes[d - 1];
    const int64_t shift = p - blocks_.before[d - 1];  // of the place in the first block
    const int64_t first = shift >= 0 ? 0 : (-shift + size - 1) / size;
    const int64_t begin = first * size + shift;
    if (begin >= dims_[d]) return 0;
    space_.first += begin * space_.strides[d];
    batch_.first += first * batch_.strides[d];
    return (dims_[d] - 1 - begin) / size + 1;
  }

  const Blocks& blocks_;
  const DimsView dims_;  // of the space
  Side space_, batch_;
};

Status ToBatch(KernelContext& context, const Blocks& blocks) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, DimsToBatch(input.dims(), blocks));
  // Zeros remain where the margins are.
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0), Tensor::Allocate(input.dtype(), dims));
  if (context.output(0).num_elements() == 0) return Status();
  PlaceWalk walk(blocks, input.dims(), dims);
  for (int64_t place = 0; place < blocks.volume; ++place) {
    walk.Run(place, PlaceWalk::Into::kBatch, MoverOf(input.dtype()), input, context.output(0));
  }
  return Status();
}

Status ToSpace(KernelContext& context, const Blocks& blocks) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const SmallDims dims, DimsToSpace(input.dims(), blocks));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), dims));
  if (out->num_elements() == 0) return Status();
  PlaceWalk walk(blocks, dims, input.dims());
  for (int64_t place = 0; place < blocks.volume; ++place) {
    walk.Run(place, PlaceWalk::Into::kSpace, MoverOf(input.dtype()), input, *out);
  }
  return Status();
}

using Trade = Status (*)(KernelContext& context, const Blocks& blocks);

//   block_shape: vector; paddings or crops: [its length, 2]
template <Trade trade>
Result<BoundKernel> BindBlocks(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kReals));
  return BoundKernel([](KernelContext& context) -> Status {
    const Tensor& shape = context.input(1);
    if (shape.rank() != 1) {
      return InvalidArgument("block_shape rank should be 1 instead of " +
                             std::to_string(shape.rank()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(SmallDims sizes, IndexValues(shape));
    TAGFLOW_ASSIGN_OR_RETURN(const Blocks blocks,
                             MakeBlocks(context.input(0), std::move(sizes), context.input(2)));
    return trade(context, blocks);
  });
}

Status CheckImages(const Tensor& input) {
  if (input.rank() == 4) return Status();
  return InvalidArgument("Input rank should be 4 instead of " + std::to_string(input.rank()));
}

//   input: images of rank 4, whose blocks are squares of attr block_size
template <Trade trade>
Result<BoundKernel> BindSquareBlocks(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(binding.node, "block_size"));
  return BoundKernel([size](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(CheckImages(context.input(0)));
    TAGFLOW_ASSIGN_OR_RETURN(const Blocks blocks,
                             MakeBlocks(context.input(0), SmallDims(2, size), context.input(1)));
    return trade(context, blocks);
  });
}

// ---- Space and depth ----

//   output[b, y, x, (i * size + j) * depth + c] = input[b, y * size + i, x * size + j, c]
Status SpaceToDepth(KernelContext& context, int64_t size) {
  TAGFLOW_RETURN_IF_ERROR(CheckImages(context.input(0)));
  const SmallDims dims(context.input(0).dims());
  if (dims[1] % size != 0 || dims[2] % size != 0) {
    return InvalidArgument("Image width " + std::to_string(dims[2]) + " and height " +
                           std::to_string(dims[1]) +
                           " should be divisible by block_size: " + std::to_string(size));
  }
  int64_t depth = 0;
  if (__builtin_mul_overflow(dims[3], size * size, &depth)) return DimensionOverflows();
  const SmallDims whole(Dims{dims[0], dims[1] / size, dims[2] / size, depth});
  const int64_t row = WrappingProduct(dims[2], dims[3]);
  const int64_t part = WrappingProduct(size, dims[3]);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, context.input(0).dtype(), whole));
  StridedCopy copy;
  copy.AddAll(Dims{whole[0], whole[1], whole[2], size, part},
              Dims{WrappingProduct(dims[1], row), WrappingProduct(size, row), part, row, 1});
  copy.Run(MoverOf(out->dtype()), context.input(0).raw_data(), out->mutable_raw_data());
  return Status();
}

//   output[b, y * size + i, x * size + j, c] = input[b, y, x, (i * size + j) * depth + c]
Status DepthToSpace(KernelContext& context, int64_t size) {
  TAGFLOW_RETURN_IF_ERROR(CheckImages(context.input(0)));
  const SmallDims dims(context.input(0).dims());
  if (dims[3] % (size * size) != 0) {
    return InvalidArgument("Input depth dimension " + std::to_string(dims[3]) +
                           " should be divisible by: " + std::to_string(size * size));
  }
  SmallDims whole(Dims{dims[0], 0, 0, dims[3] / (size * size)});
  if (__builtin_mul_overflow(dims[1], size, &whole[1]) ||
      __builtin_mul_overflow(dims[2], size, &whole[2])) {
    return DimensionOverflows();
  }
  const int64_t part = WrappingProduct(size, whole[3]);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, context.input(0).dtype(), whole));
  const SmallDims strides = StridesOf(dims);
  StridedCopy copy;
  copy.AddAll(Dims{dims[0], dims[1], size, dims[2], part},
              Dims{strides[0], strides[1], part, strides[2], 1});
  copy.Run(MoverOf(out->dtype()), context.input(0).raw_data(), out->mutable_raw_data());
  return Status();
}

//   input: images [batch, height, width, channels]
template <Status (*trade)(KernelContext& context, int64_t size)>
Result<BoundKernel> BindDepth(const Binding& binding) {
  const Result<std::string> format = StringAttr(binding.node, "data_format");
  if (!format.ok()) return format.status();
  if (*format != "NHWC") {
    return Unimplemented("Only NHWC data_format supported on CPU. Got " + *format);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(binding.node, "block_size"));
  int64_t area = 0;
  if (size < 1 || __builtin_mul_overflow(size, size, &area)) {
    return InvalidArgument("block_size " + std::to_string(size) + " is out of range");
  }
  return BoundKernel([size](KernelContext& context) { return trade(context, size); });
}

}  // namespace

Status RegisterArrayBlockKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {
                                   {"BatchToSpace", BindSquareBlocks<ToSpace>},
                                   {"BatchToSpaceND", BindBlocks<ToSpace>},
                                   {"DepthToSpace", BindDepth<DepthToSpace>},
                                   {"SpaceToBatch", BindSquareBlocks<ToBatch>},
                                   {"SpaceToBatchND", BindBlocks<ToBatch>},
                                   {"SpaceToDepth", BindDepth<SpaceToDepth>},
                               });
}

}  // namespace tagflow::optimized
