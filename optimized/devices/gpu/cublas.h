#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUBLAS_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUBLAS_H_

// Products of floats by cuBLAS, which is looked for when the first is wanted: a program is built
// without it, and runs without it.
//
// The same product on the same GPU has the same bits in every run: cuBLAS takes its working memory
// from the caller, on one stream, and adds nothing atomically. No TF32: a float is multiplied as a
// float. What is of half or bfloat16 is added up in float, and rounded once. Calls can be captured
// into CUDA graphs, once the GPU's handle is made.
//
// Thread safety: any thread. Tested by cublas_test.cc.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "graph/dtype.h"
#include "graph/status.h"

namespace tagflow::optimized {

// The part of cuBLAS that is used, with its enums as the ints that they are: of versions 12 and 13.
struct CublasApi {
  using Handle = void*;
  int (*create)(Handle* handle);
  int (*set_math_mode)(Handle handle, int mode);
  int (*set_stream)(Handle handle, cudaStream_t stream);
  int (*set_workspace)(Handle handle, void* workspace, size_t bytes);
  int (*gemm_strided_batched)(Handle handle, int a_op, int b_op, int m, int n, int k,
                              const void* alpha, const void* a, cudaDataType a_type, int a_leading,
                              long long a_stride, const void* b, cudaDataType b_type, int b_leading,
                              long long b_stride, const void* beta, void* c, cudaDataType c_type,
                              int c_leading, long long c_stride, int batches, int compute,
                              int algorithm);
};

namespace cublas {
inline constexpr int kSuccess = 0;
inline constexpr int kAsIs = 0, kTransposed = 1;        // cublasOperation_t
inline constexpr int kNoShortSums = 16;                 // cublasMath_t: the default, but for them
inline constexpr int kInFloat = 68, kInDouble = 70;     // cublasComputeType_t
inline constexpr int kAnyAlgorithm = -1;                // cublasGemmAlgo_t
inline constexpr size_t kWorkspaceBytes = 32ull << 20;  // what NVIDIA recommends for Hopper
}  // namespace cublas

// Null where none is found: by the loader, in $CUDA_HOME, or as the file that $TAGFLOW_CUBLAS
// names, which is then the only one that is tried. Found once for the process.
const CublasApi* OpenCublas();

// out[i] = a[i] b[i], of matrices that lie in rows one behind the other; a stride of 0 repeats one.
struct CublasProduct {
  const void* a;
  const void* b;
  void* out;
  DType dtype;
  bool a_is_transposed, b_is_transposed;  // as it lies
  int64_t rows, inner, columns;           // of the factors as they are read, each at least 1
  int64_t batches;
  int64_t a_stride, b_stride;  // elements from one matrix to the next
};

// Whether cuBLAS, which counts in int, can do it.
bool FitsCublas(const CublasProduct& product);

// Enqueues the product.
//   ordinal: of the current GPU; workspace: of kWorkspaceBytes, in its memory
//   Errors: INTERNAL, with cuBLAS's number for it
// REQUIRES: FitsCublas(product)
Status MultiplyByCublas(const CublasApi& api, int ordinal, cudaStream_t stream,
                        const CublasProduct& product, void* workspace);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUBLAS_H_
