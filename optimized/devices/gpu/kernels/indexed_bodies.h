#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_BODIES_H_

// Elements that are taken, or left out, by where they are and by indices that the device has.
//
// Tested by conformance/gpu/host_indexed_test.cc.

#include <cstdint>

#include "optimized/devices/gpu/kernels/coordinates.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/formulas/anywhere.h"

namespace tagflow::optimized {

// The rows that coordinates name, and zeros for those that name nothing.
struct GatherNdArgs {
  const void* from;  // [rows, size]
  void* to;          // [names, size]
  int64_t names, size;
  Coordinates coordinates;

  int64_t count() const { return names * size; }
};

template <typename Bits, typename I>
struct GatherNdBody {
  explicit GatherNdBody(const GatherNdArgs& args)
      : row_of(args.coordinates),
        from(static_cast<const Bits*>(args.from)),
        to(static_cast<Bits*>(args.to)),
        size(args.size) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t row = row_of(i / size);
    to[i] = row == Coordinates::kNowhere ? Bits(0) : from[row * size + i % size];
  }
  RowFinder<I> row_of;
  const Bits* from;
  Bits* to;
  int64_t size;
};

// to[outer, d, inner] = indices[outer, inner] == d ? on : off; the host has what is null.
struct OneHotArgs {
  const void* indices;
  const void* on;
  const void* off;
  alignas(8) char index_scalar[8];
  alignas(8) char on_scalar[8];
  alignas(8) char off_scalar[8];
  void* to;
  bool are_wide;  // int64 indices, not int32
  int64_t depth, inner, elements;

  int64_t count() const { return elements; }
};

template <typename Bits, typename I>
struct OneHotBody {
  explicit OneHotBody(const OneHotArgs& args)
      : indices(static_cast<const I*>(args.indices)),
        on(static_cast<const Bits*>(args.on)),
        off(static_cast<const Bits*>(args.off)),
        index_scalar(*reinterpret_cast<const I*>(args.index_scalar)),
        on_scalar(*reinterpret_cast<const Bits*>(args.on_scalar)),
        off_scalar(*reinterpret_cast<const Bits*>(args.off_scalar)),
        to(static_cast<Bits*>(args.to)),
        depth(args.depth),
        inner(args.inner) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t slab = i / inner, at = slab / depth * inner + i % inner;
    const int64_t hot = indices != nullptr ? indices[at] : index_scalar;
    const bool is_hot = hot == slab % depth;
    to[i] = is_hot ? (on != nullptr ? *on : on_scalar) : (off != nullptr ? *off : off_scalar);
  }
  const I* indices;
  const Bits* on;
  const Bits* off;
  I index_scalar;
  Bits on_scalar, off_scalar;
  Bits* to;
  int64_t depth, inner;
};

// Matrices of which only the diagonals from `lowest` to `highest` stay, and the rest is zero.
struct BandArgs {
  const void* from;  // [batch, rows, columns]
  void* to;
  int64_t rows, columns, lowest, highest, elements;

  int64_t count() const { return elements; }
};

template <typename Bits>
struct BandBody {
  explicit BandBody(const BandArgs& of)
      : args(of), from(static_cast<const Bits*>(of.from)), to(static_cast<Bits*>(of.to)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const int64_t diagonal = i % args.columns - i / args.columns % args.rows;
    const bool stays = diagonal >= args.lowest && diagonal <= args.highest;
    to[i] = stays ? from[i] : Bits(0);
  }
  BandArgs args;
  const Bits* from;
  Bits* to;
};

// Sequences whose first elements, as many as the device has a length for, are turned around.
struct ReverseSequenceArgs {
  const void* from;
  const void* lengths;  // [batch]
  void* to;
  bool are_wide;  // int64 lengths, not int32
  // How far apart neighbours in a sequence, and sequences, are.
  int64_t step, longest, batch_step, batch, elements;
  FaultPlace fault;  // is told the number of a sequence whose length is outside

  // Every length is looked at, even of sequences without elements.
  int64_t count() const { return elements < batch ? batch : elements; }
};

template <typename Bits, typename I>
struct ReverseSequenceBody {
  explicit ReverseSequenceBody(const ReverseSequenceArgs& of)
      : args(of),
        lengths(static_cast<const I*>(of.lengths)),
        from(static_cast<const Bits*>(of.from)),
        to(static_cast<Bits*>(of.to)) {}
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    if (i < args.batch && IsOutside(lengths[i])) args.fault.Note(i);
    if (i >= args.elements) return;
    const int64_t at = i / args.step % args.longest;
    const int64_t length = lengths[i / args.batch_step % args.batch];
    if (IsOutside(length)) return;
    to[i] = from[at < length ? i + (length - 1 - 2 * at) * args.step : i];
  }
  TAGFLOW_ANYWHERE bool IsOutside(int64_t length) const {
    return length < 0 || length > args.longest;
  }
  ReverseSequenceArgs args;
  const I* lengths;
  const Bits* from;
  Bits* to;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_INDEXED_BODIES_H_
