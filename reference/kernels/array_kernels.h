#ifndef TAGFLOW_REFERENCE_KERNELS_ARRAY_KERNELS_H_
#define TAGFLOW_REFERENCE_KERNELS_ARRAY_KERNELS_H_

// The parts of RegisterArrayKernels, one per file.

#include "graph/status.h"
#include "reference/kernel.h"

namespace tagflow::reference {

Status RegisterArrayBlockKernels(KernelRegistry& registry);   // SpaceToBatchND, DepthToSpace, …
Status RegisterArrayFillKernels(KernelRegistry& registry);    // Fill, Range, OneHot, …
Status RegisterArrayJoinKernels(KernelRegistry& registry);    // Pack, ConcatV2, …
Status RegisterArrayPadKernels(KernelRegistry& registry);     // Pad, MirrorPad, …
Status RegisterArrayRepeatKernels(KernelRegistry& registry);  // Tile, Transpose, BroadcastTo
Status RegisterArraySearchKernels(KernelRegistry& registry);  // ArgMax, Where, …
Status RegisterArrayTurnKernels(KernelRegistry& registry);    // ReverseV2, Roll, …

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_ARRAY_KERNELS_H_
