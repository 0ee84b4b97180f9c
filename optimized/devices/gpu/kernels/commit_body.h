#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COMMIT_BODY_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COMMIT_BODY_H_

// The end of an iteration of a loop in a graph: the values that go on, each to where the next
// iteration reads it, and whether there is one. Also by itself: a value to where a graph reads it.
//
// Tested by fake_cuda_test.cc and conformance/gpu/gpu_programs_test.cc.

#include <cstdint>

#include "optimized/devices/fault_place.h"
#include "optimized/formulas/anywhere.h"

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#endif

namespace tagflow::optimized {

struct CommitArgs {
  static constexpr int kCopiesMax = 32;
  // What is not the place itself, but where the address of a column is: an address for each
  // iteration. As wide as an address, so that a copy has no padding.
  enum class Rows : uint64_t { kNone, kFrom, kTo };
  struct Copy {
    const char* from = nullptr;  // null: of `scalar`
    char* to = nullptr;
    int64_t bytes = 0;
    alignas(8) char scalar[8] = {};
    Rows rows = Rows::kNone;
  };
  Copy copies[kCopiesMax];
  int count = 0;
  // The condition of a loop, where there is one: whether *predicate holds, no kernel has failed,
  // and, where they are counted, it is not the last of the iterations.
  bool has_condition = false;
  uint64_t condition = 0;           // a cudaGraphConditionalHandle
  const bool* predicate = nullptr;  // null: it holds
  // Where it is an index that chooses among so many ways: whether it chooses `way`.  [switch.1]
  const int32_t* index = nullptr;  // null: it is none
  int32_t ways = 0;
  int32_t way = 0;
  const uint64_t* fault = nullptr;  // where kernels note that they fail: then it does not go on
  // [0]: how many iterations, [1]: how many at most; null: not counted. Rows are of the last begun.
  int64_t* begun = nullptr;
  bool* goes_on = nullptr;  // where *predicate is kept for the host; null: nowhere
};

TAGFLOW_ANYWHERE inline void SetCondition(uint64_t condition, bool value) {
#if defined(__CUDA_ARCH__)
  cudaGraphSetConditional(condition, value ? 1 : 0);
#elif defined(TAGFLOW_FAKE_CUDA)
  *reinterpret_cast<bool*>(condition) = value;
#else
  (void)condition, (void)value;
#endif
}

// The index: of a piece, in all copies one behind the other. Of several copies none reads what
// another writes.
struct CommitBody {
  static constexpr int64_t kPieceBytes = 16;
  struct alignas(kPieceBytes) Piece {
    uint64_t low, high;
  };

  TAGFLOW_ANYWHERE static int64_t PiecesOf(const CommitArgs::Copy& copy) {
    return (copy.bytes + kPieceBytes - 1) / kPieceBytes;
  }
  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    if (i == 0 && args.has_condition) Decide();
    for (int k = 0; k < args.count; ++k) {
      const int64_t pieces = PiecesOf(args.copies[k]);
      if (i < pieces) return CopyPiece(args.copies[k], i * kPieceBytes);
      i -= pieces;
    }
  }
  // The address that a column has for the iteration.
  TAGFLOW_ANYWHERE char* RowAt(const char* column) const {
    return (*reinterpret_cast<char* const* const*>(column))[*args.begun - 1];
  }
  TAGFLOW_ANYWHERE void CopyPiece(const CommitArgs::Copy& copy, int64_t begin) const {
    const char* from = copy.from != nullptr ? copy.from : copy.scalar;
    if (copy.rows == CommitArgs::Rows::kFrom) from = RowAt(from);
    char* to = copy.rows == CommitArgs::Rows::kTo ? RowAt(copy.to) : copy.to;
    from += begin;
    to += begin;
    const int64_t bytes = copy.bytes - begin < kPieceBytes ? copy.bytes - begin : kPieceBytes;
    const uint64_t places = reinterpret_cast<uint64_t>(from) | reinterpret_cast<uint64_t>(to);
    if (bytes == kPieceBytes && places % kPieceBytes == 0) {
      *reinterpret_cast<Piece*>(to) = *reinterpret_cast<const Piece*>(from);
      return;
    }
    for (int64_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
  TAGFLOW_ANYWHERE bool Holds() const {
    if (args.index == nullptr) return args.predicate == nullptr || *args.predicate;
    const bool is_outside = *args.index < 0 || *args.index >= args.ways;
    return (is_outside ? args.ways - 1 : *args.index) == args.way;
  }
  TAGFLOW_ANYWHERE void Decide() const {
    const bool holds = Holds() && *args.fault == FaultPlace::kNone;
    if (args.goes_on != nullptr) *args.goes_on = holds;
    const bool is_last = args.begun != nullptr && args.begun[0] >= args.begun[1];
    if (args.begun != nullptr && holds && !is_last) ++args.begun[0];
    SetCondition(args.condition, holds && !is_last);
  }
  CommitArgs args;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_COMMIT_BODY_H_
