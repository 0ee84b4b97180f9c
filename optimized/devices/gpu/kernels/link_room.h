#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LINK_ROOM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LINK_ROOM_H_

// Memory for the links between rows (row_links.h).
//
// Tested by gpu_indexing_test.cc.

#include <cstdint>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/row_links.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// Room for the links, to be kept until their kernels are launched.   Errors: RESOURCE_EXHAUSTED
inline Result<Tensor> GiveRoom(RowLinks& links, KernelContext& context) {
  constexpr auto kWord = static_cast<int64_t>(sizeof(int64_t));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor room, NewRoom(context, links.words() * kWord));
  links.Take(static_cast<int64_t*>(static_cast<void*>(CudaMemory::Address(room))));
  return room;
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_LINK_ROOM_H_
