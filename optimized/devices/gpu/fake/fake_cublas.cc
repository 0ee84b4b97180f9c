// cuBLAS on the host: in columns, as the original, and when the stream comes to it.

#include <atomic>
#include <cstdint>
#include <utility>

#include "optimized/devices/gpu/fake/fake_cuda.h"

namespace tagflow::optimized::fake_cuda {
namespace {

constexpr int kInvalidValue = 7;      // CUBLAS_STATUS_INVALID_VALUE
constexpr int kExecutionFailed = 13;  // CUBLAS_STATUS_EXECUTION_FAILED

std::atomic<bool> is_found = false;
std::atomic<int> products = 0;

struct FakeHandle {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
};

int Create(CublasApi::Handle* handle) {
  *handle = new FakeHandle;
  return cublas::kSuccess;
}
int SetMathMode(CublasApi::Handle, int mode) {
  return mode == cublas::kNoShortSums ? cublas::kSuccess : kInvalidValue;
}
int SetStream(CublasApi::Handle handle, cudaStream_t stream) {
  *static_cast<FakeHandle*>(handle) = {stream, nullptr};
  return cublas::kSuccess;
}
int SetWorkspace(CublasApi::Handle handle, void* workspace, size_t bytes) {
  constexpr uintptr_t kAlignment = 256;
  if (reinterpret_cast<uintptr_t>(workspace) % kAlignment != 0) return kInvalidValue;
  static_cast<FakeHandle*>(handle)->workspace = bytes == 0 ? nullptr : workspace;
  return cublas::kSuccess;
}

double Number(float x) { return x; }
double Number(double x) { return x; }
double Number(Half x) { return ToFloat(x); }
double Number(BFloat16 x) { return ToFloat(x); }
void Set(double x, float& to) { to = static_cast<float>(x); }
void Set(double x, double& to) { to = x; }
void Set(double x, Half& to) { to = HalfFromFloat(static_cast<float>(x)); }
void Set(double x, BFloat16& to) { to = BFloat16FromFloat(static_cast<float>(x)); }

// A factor as it is read: element (row, column) of matrix number `batch`.
struct Factor {
  const void* data;
  bool is_transposed;
  int leading;
  int64_t stride;

  template <typename T>
  T At(int64_t batch, int64_t row, int64_t column) const {
    if (is_transposed) std::swap(row, column);
    return static_cast<const T*>(data)[batch * stride + column * leading + row];
  }
  // rows, columns: as it is read
  bool Fits(int rows, int columns) const { return leading >= (is_transposed ? columns : rows); }
};

template <typename T>
void Multiply(const Factor& a, const Factor& b, void* c, int64_t m, int64_t n, int64_t k,
              int64_t c_leading, int64_t c_stride, int64_t batches) {
  for (int64_t i = 0; i < batches * m * n; ++i) {
    const int64_t batch = i / (m * n), column = i / m % n, row = i % m;
    double sum = 0;
    for (int64_t at = 0; at < k; ++at) {
      sum += Number(a.At<T>(batch, row, at)) * Number(b.At<T>(batch, at, column));
    }
    Set(sum, static_cast<T*>(c)[batch * c_stride + column * c_leading + row]);
  }
}

template <typename T>
bool AreOneAndZero(const void* alpha, const void* beta) {
  return *static_cast<const T*>(alpha) == 1 && *static_cast<const T*>(beta) == 0;
}

int GemmStridedBatched(CublasApi::Handle handle, int a_op, int b_op, int m, int n, int k,
                       const void* alpha, const void* a_data, cudaDataType a_type, int a_leading,
                       long long a_stride, const void* b_data, cudaDataType b_type, int b_leading,
                       long long b_stride, const void* beta, void* c, cudaDataType c_type,
                       int c_leading, long long c_stride, int batches, int compute, int algorithm) {
  const auto& used = *static_cast<const FakeHandle*>(handle);
  const bool is_double = c_type == CUDA_R_64F;
  const Factor a = {a_data, a_op == cublas::kTransposed, a_leading, a_stride};
  const Factor b = {b_data, b_op == cublas::kTransposed, b_leading, b_stride};
  const bool is_ready = used.stream != nullptr && used.workspace != nullptr;
  const bool is_of_one_type = a_type == c_type && b_type == c_type &&
                              compute == (is_double ? cublas::kInDouble : cublas::kInFloat);
  const bool fits = a.Fits(m, k) && b.Fits(k, n) && c_leading >= m && m > 0 && n > 0 && k > 0;
  if (!is_ready || !is_of_one_type || !fits || algorithm != cublas::kAnyAlgorithm) {
    return kInvalidValue;
  }
  const bool is_plain =
      is_double ? AreOneAndZero<double>(alpha, beta) : AreOneAndZero<float>(alpha, beta);
  if (!is_plain) return kInvalidValue;
  ++products;
  const auto multiply = c_type == CUDA_R_16F    ? Multiply<Half>
                        : c_type == CUDA_R_16BF ? Multiply<BFloat16>
                        : is_double             ? Multiply<double>
                                                : Multiply<float>;
  const cudaError_t error =
      Enqueue(used.stream, [=] { multiply(a, b, c, m, n, k, c_leading, c_stride, batches); });
  return error == cudaSuccess ? cublas::kSuccess : kExecutionFailed;
}

}  // namespace

const CublasApi& Cublas() {
  static constexpr CublasApi kApi = {
      .create = Create,
      .set_math_mode = SetMathMode,
      .set_stream = SetStream,
      .set_workspace = SetWorkspace,
      .gemm_strided_batched = GemmStridedBatched,
  };
  return kApi;
}

const CublasApi* FoundCublas() { return is_found ? &Cublas() : nullptr; }
void LetCublasBeFound(bool found) { is_found = found; }
int CublasProducts() { return products; }

}  // namespace tagflow::optimized::fake_cuda
