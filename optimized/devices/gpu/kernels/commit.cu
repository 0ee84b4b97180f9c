#include "optimized/devices/gpu/kernels/commit.h"

#include <algorithm>

#include "optimized/devices/gpu/kernels/each_index.h"

namespace tagflow::optimized {

cudaError_t LaunchCommit(const CommitArgs& args, cudaStream_t stream) {
  int64_t pieces = 0;
  for (int i = 0; i < args.count; ++i) pieces += CommitBody::PiecesOf(args.copies[i]);
  const int64_t least = args.has_condition ? 1 : 0;
  return OnGpu(CommitBody{args}, std::max(least, pieces), stream);
}

}  // namespace tagflow::optimized
