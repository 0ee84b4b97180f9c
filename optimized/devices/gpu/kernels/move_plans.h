#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVE_PLANS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVE_PLANS_H_

// The ops that only move elements, and what each moves: boxes of elements from inputs, and from
// constants, to outputs. What the inputs must be like is the host's kernels' to say
// (optimized/kernels/array_parts.h).
//
// Tested by conformance/gpu/host_moves_test.cc.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/status.h"
#include "optimized/devices/gpu/kernels/walk.h"
#include "optimized/kernel.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

struct BoxMove {
  static constexpr int kConstant = -1;  // in the place of an input

  int input = 0;
  int output = 0;
  int64_t from_first = 0;
  int64_t to_first = 0;
  SmallDims dims, from_steps, to_steps;
  std::array<char, 8> constant = {};  // the element that is read of kConstant; zero at first

  //   Errors: UNIMPLEMENTED (rank)
  Result<Walk<2>> walk() const;
};

struct MovePlan {
  std::vector<SmallDims> outputs;  // the shape of each
  std::vector<BoxMove> moves;      // in this order, of which a later one may write over another's
};

// Reads only the op's host inputs, and the shapes of the others.
//   Errors: those of the op, but for memory
using Planner = std::function<Result<MovePlan>(const KernelContext& context)>;

struct MoveOp {
  std::string op;
  std::vector<std::string> host_inputs;
  Result<Planner> (*bind)(const Binding& binding);
  // Whether the output of an input that is a scalar may be large.
  bool spreads = false;
};
const std::vector<MoveOp>& MoveOps();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_MOVE_PLANS_H_
