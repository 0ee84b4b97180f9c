// Loops and arrays, and OpenBLAS for products of two matrices. What a loop computes is opaque to
// the compiler once per iteration, or it would compute the loop's end at once. The library is
// compiled with -O3, loops over elements also for AVX2 and FMA, with contraction: this is a limit,
// and owes its bits to nobody.

#include "bench/cpp_programs.h"

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "bench/program_maker.h"

namespace tagflow::bench {
namespace {

#if defined(__x86_64__)
#define TAGFLOW_FLOAT_REGISTER "+x"
#else
#define TAGFLOW_FLOAT_REGISTER "+w"
#endif
#if defined(__x86_64__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TAGFLOW_FOR_PROCESSORS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TAGFLOW_FOR_PROCESSORS
#endif

// The value, of which the compiler knows nothing any more.
int32_t Opaque(int32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}
float Opaque(float value) {
  asm volatile("" : TAGFLOW_FLOAT_REGISTER(value));
  return value;
}

using Outputs = std::vector<Tensor>;
template <typename... T>
Outputs Scalars(T... values) {
  return {Tensor::Scalar(values)...};
}

// ---- Scalars ----

Outputs Scalar() {
  const int32_t n = Opaque(20'000);
  int32_t i = 0;
  while (i < n) i = Opaque(i + 1);
  return Scalars(i);
}

Outputs Loop4() {
  const int32_t n = Opaque(20'000);
  float a = 1, b = 1, c = 1;
  int32_t i = 0;
  for (; i < n; i = Opaque(i + 1)) {
    a = Opaque(a + 1);
    b = Opaque(b * 1.0001f);
    c = Opaque(c - 1);
  }
  return Scalars(i, a, b, c);
}

Outputs CondWhile() {
  const int32_t n = Opaque(20'000);
  float a = 0;
  int32_t i = 0;
  for (; i < n; i = Opaque(i + 1)) a = Opaque(i % 2 == 0 ? a + 1 : a - 1);
  return Scalars(i, a);
}

Outputs Nested2() {
  const int32_t n = Opaque(200), m = Opaque(100);
  float a = 0;
  int32_t i = 0;
  for (; i < n; i = Opaque(i + 1)) {
    for (int32_t j = 0; j < m; j = Opaque(j + 1)) a = Opaque(a + 1);
  }
  return Scalars(i, a);
}

Outputs Nested3() {
  const int32_t n = Opaque(20), m = Opaque(20), l = Opaque(50);
  float a = 0;
  int32_t i = 0;
  for (; i < n; i = Opaque(i + 1)) {
    for (int32_t j = 0; j < m; j = Opaque(j + 1)) {
      for (int32_t k = 0; k < l; k = Opaque(k + 1)) a = Opaque(a + 1);
    }
  }
  return Scalars(i, a);
}

Outputs FizzBuzz() {
  const int32_t n = Opaque(20'000);
  int32_t i = 0, a = 0, b = 0, c = 0;
  for (; i < n; i = Opaque(i + 1)) {
    if (i % 15 == 0) {
      a = Opaque(a + 1);
    } else if (i % 3 == 0) {
      b = Opaque(b + 1);
    } else if (i % 5 == 0) {
      c = Opaque(c + 1);
    }
  }
  return Scalars(i, a, b, c);
}

Outputs Collatz() {
  const int32_t n = Opaque(1'000);
  int32_t k = 1, best = 0, argument = 0, total = 0;
  for (; k < n; ++k) {
    int32_t length = 1;
    for (int32_t m = k; m != 1; ++length) m = Opaque(m % 2 == 0 ? m / 2 : 3 * m + 1);
    if (length > best) {
      best = length;
      argument = k;
    }
    total += length - 1;
  }
  return Scalars(k, best, argument, total);
}

int32_t MandelbrotTimes(float cx, float cy) {
  float u = 0, v = 0;
  int32_t k = 0;
  for (; k < 50 && u * u + v * v <= 4; ++k) {
    const float next = Opaque(u * u - v * v + cx);
    v = 2 * u * v + cy;
    u = next;
  }
  return k;
}
Outputs Mandelbrot() {
  const int32_t n = Opaque(64);
  int32_t y = 0, sum = 0;
  for (; y < n; ++y) {
    for (int32_t x = 0; x < n; ++x) {
      sum += MandelbrotTimes(static_cast<float>(x) * 3 / 64 - 2.0f,
                             static_cast<float>(y) * 3 / 64 - 1.5f);
    }
  }
  return Scalars(y, sum);
}

Outputs Chain() {
  const float x = Opaque(1.5f);
  float sum = x;
  for (int i = 0; i < 10'000; ++i) sum = Opaque(sum + x);
  return Scalars(sum);
}

Outputs Elements() {
  const int32_t n = Opaque(10'000);
  std::vector<float> array(static_cast<size_t>(n));
  std::iota(array.begin(), array.end(), Opaque(0.0f));
  float sum = 0;
  for (const float element : array) sum = Opaque(sum + element);
  return Scalars(sum);
}

Outputs Stack() {
  const int32_t n = Opaque(10'000);
  std::vector<float> stack;
  for (int32_t i = 0; i < n; i = Opaque(i + 1)) stack.push_back(static_cast<float>(i));
  float sum = 0;
  for (; !stack.empty(); stack.pop_back()) sum = Opaque(sum + stack.back());
  return Scalars(sum);
}

// ---- Arrays ----

inline __attribute__((always_inline)) float Exp(float x) {
  const float above = x < -87 ? -87 : x, inside = above > 87 ? 87 : above;
  const float n = inside * 1.44269504f + 0x1.8p23f;
  const float r = inside - (n - 0x1.8p23f) * 0.693147181f;
  const float power = std::bit_cast<float>((std::bit_cast<uint32_t>(n) + 127u) << 23);
  return power * (1 + r * (1 + r * (0.5f + r * (0.1666667f + r * (0.0416664f + r * 0.0083343f)))));
}
inline __attribute__((always_inline)) float Sigmoid(float x) { return 1 / (1 + Exp(-x)); }
inline __attribute__((always_inline)) float Tanh(float x) { return 2 * Sigmoid(2 * x) - 1; }

TAGFLOW_FOR_PROCESSORS void MultiplyAll(const float* __restrict factor, float* __restrict to,
                                        int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i] *= factor[i];
}
// Elements folded side by side, since compilers keep the order of a sum.
template <typename Fold>
inline __attribute__((always_inline)) float Folded(const float* values, int64_t count, float first,
                                                   Fold fold) {
  constexpr int64_t kLanes = 16;
  float lanes[kLanes];
  for (float& lane : lanes) lane = first;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = fold(lanes[lane], values[i + lane]);
  }
  float all = first;
  for (; i < count; ++i) all = fold(all, values[i]);
  for (const float lane : lanes) all = fold(all, lane);
  return all;
}
TAGFLOW_FOR_PROCESSORS void SoftmaxAll(const float* __restrict ramp, float* __restrict x,
                                       int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] += ramp[i];
  const float most = Folded(x, count, x[0], [](float a, float b) { return a > b ? a : b; });
  for (int64_t i = 0; i < count; ++i) x[i] = Exp(x[i] - most);
  const float sum = Folded(x, count, 0, [](float a, float b) { return a + b; });
  for (int64_t i = 0; i < count; ++i) x[i] /= sum;
}
TAGFLOW_FOR_PROCESSORS void TanhAll(float* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = Tanh(values[i]);
}

// out = x w: x of 256 elements, w [256,512] by rows. Two rows at a time: as fast as memory.
TAGFLOW_FOR_PROCESSORS void MultiplyRow(const float* x, const float* w, float* __restrict out) {
  std::fill_n(out, 512, 0.0f);
  for (int k = 0; k < 256; k += 2, w += 1024) {
    const float first = x[k], second = x[k + 1];
    for (int j = 0; j < 512; ++j) out[j] += first * w[j] + second * w[512 + j];
  }
}
// The gates' sums of a row, to its next c and h.
TAGFLOW_FOR_PROCESSORS void NextState(const float* __restrict z, const float* __restrict bias,
                                      float* __restrict c, float* __restrict h) {
  for (int j = 0; j < 128; ++j) {
    const float input = Sigmoid(z[j] + bias[j]), added = Tanh(z[128 + j] + bias[128 + j]);
    const float kept = Sigmoid(z[256 + j] + bias[256 + j] + 1);
    const float output = Sigmoid(z[384 + j] + bias[384 + j]);
    c[j] = kept * c[j] + input * added;
    h[j] = output * Tanh(c[j]);
  }
}

Step Vector(int32_t trips, int64_t elements) {
  const Tensor factor = Filled({elements}, Opaque(1.0001f));
  return [=]() -> Result<Outputs> {
    Tensor result = Filled({elements}, 1);
    float* to = result.mutable_data<float>();
    for (int32_t i = 0; i < trips; ++i) MultiplyAll(factor.data<float>(), to, elements);
    return Outputs{result};
  };
}

// Elements by two indices.
Step Items(int32_t rows) {
  const Tensor table = Filled({rows, rows}, 0.5f);
  return [=]() -> Result<Outputs> {
    const int32_t n = Opaque(rows);
    const float* const x = table.data<float>();
    float sum = 0;
    for (int32_t i = 0; i < n; i = Opaque(i + 1)) {
      for (int32_t j = 0; j < n; j = Opaque(j + 1)) sum += x[int64_t{i} * n + j];
    }
    return Scalars(sum);
  };
}

// x[i] = x[i - 1] / 2 + 1, in a copy of what the caller has.
Step Changes(int32_t size) {
  const Tensor given = Filled({size}, 1.0f);
  return [=]() -> Result<Outputs> {
    const int32_t n = Opaque(size);
    Tensor changed = *given.Clone();
    float* const x = changed.mutable_data<float>();
    for (int32_t i = 1; i < n; i = Opaque(i + 1)) x[i] = x[i - 1] * 0.5f + 1.0f;
    return Scalars(x[n - 1]);
  };
}

Step Softmax(int32_t trips, int64_t elements) {
  Tensor ramp = Filled({elements}, 0);
  for (int64_t i = 0; i < elements; ++i) {
    ramp.mutable_data<float>()[i] = Opaque(static_cast<float>(i) * 0.01f);
  }
  return [=]() -> Result<Outputs> {
    Tensor result = Filled({elements}, 0);
    float* x = result.mutable_data<float>();
    for (int32_t i = 0; i < trips; ++i) SoftmaxAll(ramp.data<float>(), x, elements);
    float sum = 0;
    for (int64_t i = 0; i < elements; ++i) sum += x[i] * ramp.data<float>()[i];
    return Scalars(sum);
  };
}

void Multiply(const float* a, const float* b, int rows, int inner, int columns, float* out) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, a, inner, b,
              columns, 0, out, columns);
}

Step Product(int32_t trips, int d, double scale) {
  const Tensor start = Matrix({d, d}, 1), w = Matrix({d, d}, scale);
  return [=]() -> Result<Outputs> {
    Tensor a = start, next = Filled({d, d}, 0);
    for (int32_t i = 0; i < trips; ++i, std::swap(a, next)) {
      if (i == 1) next = Filled({d, d}, 0);  // it was `start`
      Multiply(a.data<float>(), w.data<float>(), d, d, d, next.mutable_data<float>());
      TanhAll(next.mutable_data<float>(), d * d);
    }
    return Outputs{a};
  };
}

Step Lstm(int batch) {
  const Tensor xs = Matrix({200, batch, 128}, 1), w = Matrix({256, 512}, 0.1);
  const Tensor bias = Filled({512}, 0);
  return [=]() -> Result<Outputs> {
    Tensor rooms[] = {Filled({batch, 256}, 0), Filled({batch, 512}, 0), Filled({batch, 128}, 0),
                      Filled({batch, 128}, 0)};
    float* joined = rooms[0].mutable_data<float>();
    float* z = rooms[1].mutable_data<float>();
    float* c = rooms[2].mutable_data<float>();
    float* h = rooms[3].mutable_data<float>();
    for (int step = 0; step < 200; ++step) {
      const float* x = xs.data<float>() + step * batch * 128;
      for (int row = 0; row < batch; ++row, x += 128) {
        std::copy_n(h + row * 128, 128, std::copy_n(x, 128, joined + row * 256));
      }
      if (batch == 1) {
        MultiplyRow(joined, w.data<float>(), z);
      } else {
        Multiply(joined, w.data<float>(), batch, 256, 512, z);
      }
      for (int row = 0; row < batch; ++row) {
        NextState(z + row * 512, bias.data<float>(), c + row * 128, h + row * 128);
      }
    }
    return Scalars(std::accumulate(h, h + batch * 128, 0.0f));
  };
}

template <Outputs (*kRun)()>
Step Always() {
  return []() -> Result<Outputs> { return kRun(); };
}

}  // namespace

Result<Step> PrepareCpp(std::string_view program) {
  openblas_set_num_threads(1);
  static const std::map<std::string_view, Step (*)()> makers = {
      {"chain10k", Always<Chain>},
      {"changes10k", [] { return Changes(10'000); }},
      {"collatz1000", Always<Collatz>},
      {"condwhile", Always<CondWhile>},
      {"fizzbuzz", Always<FizzBuzz>},
      {"items100x100", [] { return Items(100); }},
      {"loop4", Always<Loop4>},
      {"lstm_b1_fwd", [] { return Lstm(1); }},
      {"lstm_b64_fwd", [] { return Lstm(64); }},
      {"mandel64", Always<Mandelbrot>},
      {"mm512", [] { return Product(50, 512, 0.15); }},
      {"mm64", [] { return Product(2'000, 64, 0.5); }},
      {"nested200x100", Always<Nested2>},
      {"nested20x20x50", Always<Nested3>},
      {"scalar", Always<Scalar>},
      {"softmax100", [] { return Softmax(20'000, 100); }},
      {"stack10k", Always<Stack>},
      {"tensorarray10k", Always<Elements>},
      {"vec100", [] { return Vector(20'000, 100); }},
      {"vec100k", [] { return Vector(2'000, 100'000); }},
  };
  const auto found = makers.find(program);
  if (found == makers.end()) return NotFound("C++ has no program '" + std::string(program) + "'");
  return found->second();
}

}  // namespace tagflow::bench
