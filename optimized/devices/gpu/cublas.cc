#include "optimized/devices/gpu/cublas.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tagflow::optimized {
namespace {

std::vector<std::string> FilesToTry() {
  if (const char* const file = std::getenv("TAGFLOW_CUBLAS")) return {file};
  std::vector<std::string> files = {"libcublas.so.13", "libcublas.so.12"};
  if (const char* const home = std::getenv("CUDA_HOME")) {
    files.push_back(std::string(home) + "/lib64/libcublas.so");
  }
  return files;
}

template <typename F>
bool Find(void* library, const char* name, F*& function) {
  function = reinterpret_cast<F*>(dlsym(library, name));
  return function != nullptr;
}

bool FindAll(void* library, CublasApi& api) {
  return Find(library, "cublasCreate_v2", api.create) &&
         Find(library, "cublasSetMathMode", api.set_math_mode) &&
         Find(library, "cublasSetStream_v2", api.set_stream) &&
         Find(library, "cublasSetWorkspace_v2", api.set_workspace) &&
         Find(library, "cublasGemmStridedBatchedEx", api.gemm_strided_batched);
}

const CublasApi* Open() {
  for (const std::string& file : FilesToTry()) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    auto* const api = new CublasApi;
    if (FindAll(library, *api)) return api;
    delete api;
    (void)dlclose(library);
  }
  return nullptr;
}

Status CublasStatus(int status, const char* what) {
  if (status == cublas::kSuccess) return Status();
  return Internal(std::string("cuBLAS gives status ") + std::to_string(status) + " when " + what);
}

// The handle of a GPU, for the whole process, by one thread at a time: it knows one stream.
class Handle {
 public:
  // REQUIRES: the lock is held, here and below
  Status Make(const CublasApi& api) {
    if (made_ != nullptr) return Status();
    CublasApi::Handle handle = nullptr;
    TAGFLOW_RETURN_IF_ERROR(CublasStatus(api.create(&handle), "it starts"));
    TAGFLOW_RETURN_IF_ERROR(
        CublasStatus(api.set_math_mode(handle, cublas::kNoShortSums), "it is told how to compute"));
    made_ = handle;
    return Status();
  }
  // A stream brings memory of cuBLAS's own with it, which ours takes the place of.
  Status Use(const CublasApi& api, cudaStream_t stream, void* workspace) {
    TAGFLOW_RETURN_IF_ERROR(CublasStatus(api.set_stream(made_, stream), "it is given a stream"));
    return CublasStatus(api.set_workspace(made_, workspace, cublas::kWorkspaceBytes),
                        "it is given memory");
  }
  CublasApi::Handle get() const { return made_; }
  std::mutex& lock() { return lock_; }

 private:
  std::mutex lock_;
  CublasApi::Handle made_ = nullptr;  // guarded by lock_
};

Handle& HandleOf(const CublasApi& api, int ordinal) {
  static std::mutex& mutex = *new std::mutex;
  static auto& handles = *new std::map<std::pair<const CublasApi*, int>, Handle>;
  std::lock_guard lock(mutex);
  return handles[{&api, ordinal}];
}

// How cuBLAS names the dtype of a product, and the one it adds up in, which alpha and beta have.
struct Types {
  cudaDataType elements;
  int compute;
};
Types TypesOf(DType dtype) {
  if (dtype == DType::kDouble) return {CUDA_R_64F, cublas::kInDouble};
  if (dtype == DType::kHalf) return {CUDA_R_16F, cublas::kInFloat};
  if (dtype == DType::kBFloat16) return {CUDA_R_16BF, cublas::kInFloat};
  return {CUDA_R_32F, cublas::kInFloat};
}

// cuBLAS has matrices in columns: what lies in rows is to it the transposed matrix. So it is asked
// for the transposed product, of the transposed factors in the other order.
template <typename T>
int Enqueue(const CublasApi& api, CublasApi::Handle handle, const CublasProduct& product) {
  const auto [type, compute] = TypesOf(product.dtype);
  const auto to_int = [](int64_t size) { return static_cast<int>(size); };
  const auto op = [](bool is_transposed) {
    return is_transposed ? cublas::kTransposed : cublas::kAsIs;
  };
  const T one = 1, zero = 0;
  const int64_t b_row = product.b_is_transposed ? product.inner : product.columns;
  const int64_t a_row = product.a_is_transposed ? product.rows : product.inner;
  return api.gemm_strided_batched(
      handle, op(product.b_is_transposed), op(product.a_is_transposed), to_int(product.columns),
      to_int(product.rows), to_int(product.inner), &one, product.b, type, to_int(b_row),
      product.b_stride, product.a, type, to_int(a_row), product.a_stride, &zero, product.out, type,
      to_int(product.columns), product.rows * product.columns, to_int(product.batches), compute,
      cublas::kAnyAlgorithm);
}

}  // namespace

const CublasApi* OpenCublas() {
  static const CublasApi* const api = Open();
  return api;
}

bool FitsCublas(const CublasProduct& product) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  const auto [least, most] =
      std::minmax({product.rows, product.inner, product.columns, product.batches});
  return least > 0 && most <= kMost;
}

Status MultiplyByCublas(const CublasApi& api, int ordinal, cudaStream_t stream,
                        const CublasProduct& product, void* workspace) {
  Handle& handle = HandleOf(api, ordinal);
  std::lock_guard lock(handle.lock());
  TAGFLOW_RETURN_IF_ERROR(handle.Make(api));
  TAGFLOW_RETURN_IF_ERROR(handle.Use(api, stream, workspace));
  const int status = product.dtype == DType::kDouble ? Enqueue<double>(api, handle.get(), product)
                                                     : Enqueue<float>(api, handle.get(), product);
  return CublasStatus(status, "it multiplies");
}

}  // namespace tagflow::optimized
