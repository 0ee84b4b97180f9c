#include "graph/out_of_memory.h"

namespace tagflow {
namespace {

// Made before main: when it is wanted, there is no memory for it.
const Status out_of_memory = ResourceExhausted(
    "out of memory: give the process more, or run with smaller tensors, fewer iterations at once "
    "(parallel_iterations) or fewer steps at once");

}  // namespace

Status OutOfMemory() { return out_of_memory; }

}  // namespace tagflow
