// Ops that trade dimensions for one another block by block: SpaceToBatchND, BatchToSpaceND,
// SpaceToBatch, BatchToSpace, SpaceToDepth, DepthToSpace.

#include <numeric>
#include <string>

#include "reference/kernels/array_kernels.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"

namespace tagflow::reference {
namespace {

// Dimension 1 + i of the space is cut into blocks of sizes[i], after it was given margins.
struct Blocks {
  Dims sizes;
  Dims before, after;
  int64_t volume = 1;  // places in a block, numbered row by row
};

Status CheckRank(const Tensor& input, size_t block_dims) {
  if (static_cast<size_t>(input.rank()) > block_dims) return Status();
  return InvalidArgument("input rank should be >= " + std::to_string(block_dims + 1) +
                         " instead of " + std::to_string(input.rank()));
}

Result<Blocks> MakeBlocks(const Tensor& input, Dims sizes, const Tensor& margins) {
  TAGFLOW_RETURN_IF_ERROR(CheckRank(input, sizes.size()));
  if (ToDims(margins.dims()) != Dims{static_cast<int64_t>(sizes.size()), 2}) {
    return InvalidArgument("paddings or crops should have a row of 2 for each of the " +
                           std::to_string(sizes.size()) +
                           " dimensions of a block, but have shape " + DimsString(margins.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> values, IndexValues(margins));
  Blocks blocks;
  blocks.sizes = std::move(sizes);
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

Status Overflows() { return InvalidArgument("a dimension of the result overflows int64"); }

// [batch * volume, (dim + margins) / size, …, the rest]
Result<Dims> DimsToBatch(DimsView input, const Blocks& blocks) {
  Dims dims = ToDims(input);
  if (__builtin_mul_overflow(dims[0], blocks.volume, &dims[0])) return Overflows();
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    int64_t& dim = dims[i + 1];
    if (__builtin_add_overflow(dim, blocks.before[i], &dim) ||
        __builtin_add_overflow(dim, blocks.after[i], &dim)) {
      return Overflows();
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
Result<Dims> DimsToSpace(DimsView input, const Blocks& blocks) {
  Dims dims = ToDims(input);
  if (dims[0] % blocks.volume != 0) {
    return InvalidArgument("Input batch dimension (" + std::to_string(dims[0]) +
                           ") is not divisible by product of block sizes (" +
                           std::to_string(blocks.volume) + ")");
  }
  dims[0] /= blocks.volume;
  for (size_t i = 0; i < blocks.sizes.size(); ++i) {
    int64_t& dim = dims[i + 1];
    if (__builtin_mul_overflow(dim, blocks.sizes[i], &dim)) return Overflows();
    if (blocks.before[i] > dim || blocks.after[i] > dim - blocks.before[i]) {
      return InvalidArgument("cropped_shape[" + std::to_string(i) +
                             "] must be non-negative: the crops are larger than " +
                             std::to_string(dim));
    }
    dim -= blocks.before[i] + blocks.after[i];
  }
  return dims;
}

//   output[p * batch + b, s, …] = padded input[b, s * size + p, …], p: place in the block
Status ToBatch(KernelContext& context, const Blocks& blocks) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, DimsToBatch(input.dims(), blocks));
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Allocate(input.dtype(), {}));
  const std::vector<int64_t> strides = StridesOf(input.dims());
  const std::vector<int64_t> place_strides = StridesOf(blocks.sizes);
  auto source = [&](const Dims& at) {
    const int64_t place = at[0] / input.dim(0);
    int64_t element = at[0] % input.dim(0) * strides[0];
    for (size_t d = 1; d < at.size(); ++d) {
      int64_t i = at[d];
      if (d <= blocks.sizes.size()) {
        const int64_t size = blocks.sizes[d - 1];
        i = i * size + place / place_strides[d - 1] % size - blocks.before[d - 1];
        if (i < 0 || i >= input.dims()[d]) return kOtherwise;
      }
      element += i * strides[d];
    }
    return element;
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], RearrangeOr(input, zero, dims, source));
  return Status();
}

//   output[b, s * size + p - crop, …] = input[p * batch + b, s, …], p: place in the block
Status ToSpace(KernelContext& context, const Blocks& blocks) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, DimsToSpace(input.dims(), blocks));
  const std::vector<int64_t> strides = StridesOf(input.dims());
  const std::vector<int64_t> place_strides = StridesOf(blocks.sizes);
  auto source = [&](const Dims& at) {
    int64_t place = 0;
    int64_t element = 0;
    for (size_t d = 1; d < at.size(); ++d) {
      int64_t i = at[d];
      if (d <= blocks.sizes.size()) {
        i += blocks.before[d - 1];
        place += i % blocks.sizes[d - 1] * place_strides[d - 1];
        i /= blocks.sizes[d - 1];
      }
      element += i * strides[d];
    }
    return element + (place * dims[0] + at[0]) * strides[0];
  };
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, source));
  return Status();
}

constexpr DTypeSet kBatched = kReals;

//   block_shape: vector; paddings or crops: [its length, 2]
Result<Blocks> BlocksFromInputs(const KernelContext& context) {
  const Tensor& block_shape = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, context.inputs[0].dtype(), kBatched));
  if (block_shape.rank() != 1) {
    return InvalidArgument("block_shape rank should be 1 instead of " +
                           std::to_string(block_shape.rank()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(Dims sizes, IndexValues(block_shape));
  return MakeBlocks(context.inputs[0], std::move(sizes), context.inputs[2]);
}

Status SpaceToBatchND(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Blocks blocks, BlocksFromInputs(context));
  return ToBatch(context, blocks);
}

Status BatchToSpaceND(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Blocks blocks, BlocksFromInputs(context));
  return ToSpace(context, blocks);
}

Status CheckImages(const Tensor& input) {
  if (input.rank() == 4) return Status();
  return InvalidArgument("Input rank should be 4 instead of " + std::to_string(input.rank()));
}

//   input: images of rank 4, whose blocks are squares of attr block_size
Result<Blocks> SquareBlocks(const KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, context.inputs[0].dtype(), kBatched));
  TAGFLOW_RETURN_IF_ERROR(CheckImages(context.inputs[0]));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(context.node, "block_size"));
  return MakeBlocks(context.inputs[0], {size, size}, context.inputs[1]);
}

Status SpaceToBatch(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Blocks blocks, SquareBlocks(context));
  return ToBatch(context, blocks);
}

Status BatchToSpace(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Blocks blocks, SquareBlocks(context));
  return ToSpace(context, blocks);
}

// Attr block_size of images as [batch, height, width, channels].
Result<int64_t> DepthBlock(const KernelContext& context) {
  const Result<std::string> format = StringAttr(context.node, "data_format");
  if (!format.ok()) return format.status();
  if (*format != "NHWC") {
    return Unimplemented("Only NHWC data_format supported on CPU. Got " + *format);
  }
  TAGFLOW_RETURN_IF_ERROR(CheckImages(context.inputs[0]));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(context.node, "block_size"));
  int64_t area = 0;
  if (size < 1 || __builtin_mul_overflow(size, size, &area)) {
    return InvalidArgument("block_size " + std::to_string(size) + " is out of range");
  }
  return size;
}

//   output[b, y, x, (i * size + j) * depth + c] = input[b, y * size + i, x * size + j, c]
Status SpaceToDepth(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, DepthBlock(context));
  if (input.dim(1) % size != 0 || input.dim(2) % size != 0) {
    return InvalidArgument("Image width " + std::to_string(input.dim(2)) + " and height " +
                           std::to_string(input.dim(1)) +
                           " should be divisible by block_size: " + std::to_string(size));
  }
  const int64_t depth = input.dim(3);
  Dims dims{input.dim(0), input.dim(1) / size, input.dim(2) / size, depth};
  if (__builtin_mul_overflow(depth, size * size, &dims[3])) return Overflows();
  const std::vector<int64_t> strides = StridesOf(input.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             const int64_t place = at[3] / depth;
                             return at[0] * strides[0] +
                                    (at[1] * size + place / size) * strides[1] +
                                    (at[2] * size + place % size) * strides[2] + at[3] % depth;
                           }));
  return Status();
}

//   output[b, y * size + i, x * size + j, c] = input[b, y, x, (i * size + j) * depth + c]
Status DepthToSpace(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, DepthBlock(context));
  if (input.dim(3) % (size * size) != 0) {
    return InvalidArgument("Input depth dimension " + std::to_string(input.dim(3)) +
                           " should be divisible by: " + std::to_string(size * size));
  }
  const int64_t depth = input.dim(3) / (size * size);
  Dims dims{input.dim(0), 0, 0, depth};
  if (__builtin_mul_overflow(input.dim(1), size, &dims[1]) ||
      __builtin_mul_overflow(input.dim(2), size, &dims[2])) {
    return Overflows();
  }
  const std::vector<int64_t> strides = StridesOf(input.dims());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Rearrange(input, dims, [&](const Dims& at) {
                             const int64_t place = at[1] % size * size + at[2] % size;
                             return at[0] * strides[0] + at[1] / size * strides[1] +
                                    at[2] / size * strides[2] + place * depth + at[3];
                           }));
  return Status();
}

}  // namespace

Status RegisterArrayBlockKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"SpaceToBatchND", SpaceToBatchND},
                                {"BatchToSpaceND", BatchToSpaceND},
                                {"SpaceToBatch", SpaceToBatch},
                                {"BatchToSpace", BatchToSpace},
                                {"SpaceToDepth", SpaceToDepth},
                                {"DepthToSpace", DepthToSpace}});
}

}  // namespace tagflow::reference
