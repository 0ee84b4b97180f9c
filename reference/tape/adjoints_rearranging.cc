// Derivatives of the ops that turn a tensor around, put a border round it or cut it into blocks:
// each element of the output is one element of an input, or of none.

#include <cstddef>
#include <optional>
#include <string>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Where the element at `at` of the output comes from in input 0; none: from no element of it.
using Origin = std::function<std::optional<Dims>(const Dims& at)>;

// `else_slot`: the scalar input that an element of no origin is; 0: it is a constant.
void AddOrigins(FiringPartials& firing, const Origin& origin, size_t else_slot = 0) {
  const Dims steps = StepsOf(firing.input(0).dims());
  size_t o = 0;
  ForEachCoordinate(firing.output(0).dims(), [&](const Dims& at) {
    const std::optional<Dims> from = origin(at);
    if (from.has_value()) {
      firing.Add(0, o, 0, PlaceOf(*from, steps), 1);
    } else if (else_slot != 0) {
      firing.Add(0, o, else_slot, 0, 1);
    }
    ++o;
  });
}

// Dimensions that are `turned` run backwards.
Status TurnAround(FiringPartials& firing, const std::vector<bool>& turned) {
  const DimsView dims = firing.input(0).dims();
  AddOrigins(firing, [&](const Dims& at) {
    Dims from = at;
    for (size_t d = 0; d < from.size(); ++d) {
      if (turned[d]) from[d] = dims[d] - 1 - at[d];
    }
    return from;
  });
  return Status();
}

//   tensor, dims: bool
Status Reverse(FiringPartials& firing) {
  std::vector<bool> turned;
  for (double turn : ToDoubles(firing.input(1))) turned.push_back(turn != 0);
  return TurnAround(firing, turned);
}

//   tensor, axis
Status ReverseV2(FiringPartials& firing) {
  const size_t rank = firing.input(0).dims().size();
  std::vector<bool> turned(rank, false);
  // Where there is nothing to turn, any axis will do.
  if (rank == 0 || firing.input(0).num_elements() == 0) return TurnAround(firing, turned);
  for (int64_t axis : ToIntegers(firing.input(1))) turned[AxisOf(axis, rank)] = true;
  return TurnAround(firing, turned);
}

// The first so many elements along seq_dim run backwards.
//   input, seq_lengths: per place along batch_dim
Status ReverseSequence(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seq_attr, IntAttr(firing.node(), "seq_dim"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_attr, IntAttr(firing.node(), "batch_dim"));
  const size_t rank = firing.input(0).dims().size();
  const size_t seq = AxisOf(seq_attr, rank), batch = AxisOf(batch_attr, rank);
  const std::vector<int64_t> lengths = ToIntegers(firing.input(1));
  AddOrigins(firing, [&](const Dims& at) {
    Dims from = at;
    const int64_t length = lengths[static_cast<size_t>(at[batch])];
    if (at[seq] < length) from[seq] = length - 1 - at[seq];
    return from;
  });
  return Status();
}

//   input, shift, axis: both scalars or both vectors; several shifts of one axis add up
Status Roll(FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  const std::vector<int64_t> shifts = ToIntegers(firing.input(1));
  const std::vector<int64_t> axes = ToIntegers(firing.input(2));
  AddOrigins(firing, [&](const Dims& at) {
    Dims from = at;
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t d = AxisOf(axes[i], dims.size());
      const int64_t back = (from[d] - shifts[i] % dims[d]) % dims[d];
      from[d] = back < 0 ? back + dims[d] : back;
    }
    return from;
  });
  return Status();
}

// Pad and PadV2, whose third input is what the border is of.
//   input, paddings: before and after, per dimension
Status Pad(FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  const std::vector<int64_t> paddings = ToIntegers(firing.input(1));
  AddOrigins(
      firing,
      [&](const Dims& at) -> std::optional<Dims> {
        Dims from = at;
        for (size_t d = 0; d < from.size(); ++d) {
          from[d] -= paddings[2 * d];
          if (from[d] < 0 || from[d] >= dims[d]) return std::nullopt;
        }
        return from;
      },
      firing.num_inputs() > 2 ? 2 : 0);
  return Status();
}

// What place of a dimension of `size` a mirror shows `before` the first one and further on.
struct Mirror {
  std::vector<int64_t> paddings;
  int64_t edge = 0;  // 1: the first and last elements are seen twice

  static Result<Mirror> Of(const FiringPartials& firing) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string mode, StringAttr(firing.node(), "mode"));
    return Mirror{ToIntegers(firing.input(1)), mode == "SYMMETRIC" ? 1 : 0};
  }
  Dims Shown(const Dims& at, DimsView dims) const {
    Dims from = at;
    for (size_t d = 0; d < from.size(); ++d) {
      from[d] -= paddings[2 * d];
      if (from[d] < 0) from[d] = -from[d] - edge;
      if (from[d] >= dims[d]) from[d] = 2 * (dims[d] - 1) - from[d] + edge;
    }
    return from;
  }
};

Status MirrorPad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const Mirror mirror, Mirror::Of(firing));
  AddOrigins(firing, [&](const Dims& at) { return mirror.Shown(at, firing.input(0).dims()); });
  return Status();
}

// Each element is the sum of all that shows it.
Status MirrorPadGrad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const Mirror mirror, Mirror::Of(firing));
  const DimsView dims = firing.output(0).dims();
  const Dims steps = StepsOf(dims);
  size_t i = 0;
  ForEachCoordinate(firing.input(0).dims(), [&](const Dims& at) {
    firing.Add(0, PlaceOf(mirror.Shown(at, dims), steps), 0, i++, 1);
  });
  return Status();
}

// How a batch of blocks and the space they tile belong together: element `at` of the space, which
// begins `start` further on, is in which block of the batch.
struct Tiling {
  std::vector<int64_t> block, start;
  int64_t batch = 0;  // of the space

  // The place in the batch of blocks.
  Dims InBlocks(const Dims& at) const {
    Dims place = at;
    int64_t offset = 0;
    for (size_t i = 0; i < block.size(); ++i) {
      const int64_t along = at[i + 1] + start[i];
      offset = offset * block[i] + along % block[i];
      place[i + 1] = along / block[i];
    }
    place[0] = offset * batch + at[0];
    return place;
  }
  // The place in the space; it may be outside.
  Dims InSpace(const Dims& place) const {
    Dims at = place;
    int64_t offset = place[0] / batch;
    at[0] = place[0] % batch;
    for (size_t i = block.size(); i-- > 0;) {
      at[i + 1] = place[i + 1] * block[i] + offset % block[i] - start[i];
      offset /= block[i];
    }
    return at;
  }
};

// Of SpaceToBatch[ND] and BatchToSpace[ND]: block_shape is an input, or block_size an attr.
Result<Tiling> TilingOf(const FiringPartials& firing, const Tensor& space) {
  Tiling tiling;
  const bool has_shape = firing.num_inputs() > 2;
  if (has_shape) {
    tiling.block = ToIntegers(firing.input(1));
  } else {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, IntAttr(firing.node(), "block_size"));
    tiling.block = {size, size};
  }
  const std::vector<int64_t> borders = ToIntegers(firing.input(has_shape ? 2 : 1));
  for (size_t i = 0; i < borders.size(); i += 2) tiling.start.push_back(borders[i]);
  tiling.batch = space.dims()[0];
  return tiling;
}

Status SpaceToBatch(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tiling tiling, TilingOf(firing, firing.input(0)));
  const DimsView dims = firing.input(0).dims();
  AddOrigins(firing, [&](const Dims& at) -> std::optional<Dims> {
    Dims from = tiling.InSpace(at);
    for (size_t d = 0; d < from.size(); ++d) {
      if (from[d] < 0 || from[d] >= dims[d]) return std::nullopt;
    }
    return from;
  });
  return Status();
}

Status BatchToSpace(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const Tiling tiling, TilingOf(firing, firing.output(0)));
  AddOrigins(firing, [&](const Dims& at) { return tiling.InBlocks(at); });
  return Status();
}

// A pixel of a deep image is a block of `size` * `size` pixels of a flat one, of `depth` numbers
// each: the block's rows one after the other. Dimensions: batch, height, width, numbers.
struct PixelBlocks {
  int64_t size = 0, depth = 0;

  Dims Deep(const Dims& flat) const {
    const int64_t inside = flat[1] % size * size + flat[2] % size;
    return {flat[0], flat[1] / size, flat[2] / size, inside * depth + flat[3]};
  }
  Dims Flat(const Dims& deep) const {
    const int64_t inside = deep[3] / depth;
    return {deep[0], deep[1] * size + inside / size, deep[2] * size + inside % size,
            deep[3] % depth};
  }
};

Status DepthToSpace(FiringPartials& firing) {
  PixelBlocks blocks{.depth = firing.output(0).dims()[3]};
  TAGFLOW_ASSIGN_OR_RETURN(blocks.size, IntAttr(firing.node(), "block_size"));
  AddOrigins(firing, [&](const Dims& at) { return blocks.Deep(at); });
  return Status();
}

Status SpaceToDepth(FiringPartials& firing) {
  PixelBlocks blocks{.depth = firing.input(0).dims()[3]};
  TAGFLOW_ASSIGN_OR_RETURN(blocks.size, IntAttr(firing.node(), "block_size"));
  AddOrigins(firing, [&](const Dims& at) { return blocks.Flat(at); });
  return Status();
}

}  // namespace

void AddRearrangingAdjoints(AdjointTable& table) {
  table.Set("Reverse", Reverse);
  table.Set("ReverseV2", ReverseV2);
  table.Set("ReverseSequence", ReverseSequence);
  table.Set("Roll", Roll);
  table.Set("Pad", Pad);
  table.Set("PadV2", Pad);
  table.Set("MirrorPad", MirrorPad);
  table.Set("MirrorPadGrad", MirrorPadGrad);
  for (const char* op : {"SpaceToBatch", "SpaceToBatchND"}) table.Set(op, SpaceToBatch);
  for (const char* op : {"BatchToSpace", "BatchToSpaceND"}) table.Set(op, BatchToSpace);
  table.Set("DepthToSpace", DepthToSpace);
  table.Set("SpaceToDepth", SpaceToDepth);
}

}  // namespace tagflow::reference
