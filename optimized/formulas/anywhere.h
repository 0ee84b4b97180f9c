#ifndef TAGFLOW_OPTIMIZED_FORMULAS_ANYWHERE_H_
#define TAGFLOW_OPTIMIZED_FORMULAS_ANYWHERE_H_

// What formulas are written with. TAGFLOW_ANYWHERE, before a function: it is compiled for the host
// and, by nvcc, for GPUs too.

#if defined(__CUDACC__)
#define TAGFLOW_ANYWHERE __host__ __device__
#else
#define TAGFLOW_ANYWHERE
#endif

namespace tagflow::optimized {

// What a formula derives from whose loops on the host over int32, float and double are worth a form
// for each processor (kernels/clones.h).
struct Hot {};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_FORMULAS_ANYWHERE_H_
