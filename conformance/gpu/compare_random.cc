#include <string>
#include <vector>

#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"
#include "optimized/devices/gpu/kernels/random_bodies.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

struct Names {
  std::string by_node, by_seed, by_key;  // empty: there is none
};
Names NamesOf(Distribution distribution) {
  switch (distribution) {
    case Distribution::kUniform:
      return {"RandomUniform", "StatelessRandomUniform", "StatelessRandomUniformV2"};
    case Distribution::kNormal:
      return {"RandomStandardNormal", "StatelessRandomNormal", "StatelessRandomNormalV2"};
    case Distribution::kTruncatedNormal:
      return {"TruncatedNormal", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2"};
    case Distribution::kIntsOfRange:
      return {"RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2"};
    case Distribution::kAllInts:
      break;
  }
  return {"", "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2"};
}

Tensor Scalar(DType dtype, int64_t value) {
  return dtype == DType::kInt64 ? Tensor::Scalar(value)
                                : Tensor::Scalar(static_cast<int32_t>(value));
}

struct ComparesRandom {
  template <typename Group>
  void operator()(Distribution distribution, DType dtype) const {
    const std::string type = "dtype=" + DTypeName(dtype);
    const Names names = NamesOf(distribution);
    const bool is_of_range = distribution == Distribution::kIntsOfRange;
    if (!names.by_node.empty()) {
      Compare(distribution, dtype, names.by_node,
              (is_of_range ? "Tout=" + DTypeName(dtype) : type) + " T=int32 seed=3 seed2=7", {});
    }
    Compare(distribution, dtype, names.by_seed, type + " T=int32 Tseed=int64",
            {Tensor::Vector<int64_t>({5, -6})});
    Compare(distribution, dtype, names.by_key, type + " Tshape=int32",
            {Tensor::Vector<uint64_t>({5}), Tensor::Vector<uint64_t>({~uint64_t{0} - 6, 6}),
             Tensor::Scalar<int32_t>(1)});
  }
  void Compare(Distribution distribution, DType dtype, const std::string& op,
               const std::string& attrs, const std::vector<Tensor>& stream) const {
    constexpr int32_t kCount = 100'003;
    constexpr int64_t kLow = -3, kHigh = 1'000'003;
    std::vector<Tensor> inputs = {Tensor::Vector<int32_t>({kCount})};
    inputs.insert(inputs.end(), stream.begin(), stream.end());
    if (distribution == Distribution::kIntsOfRange) {
      inputs.insert(inputs.end(), {Scalar(dtype, kLow), Scalar(dtype, kHigh)});
    }
    Note(counts, "kernels", op + " " + attrs, CompareOp(op, attrs, inputs, BoundsOf(distribution)));
  }
  // log, sin and cos are the libraries'; all else is exact.
  static Bounds BoundsOf(Distribution distribution) {
    constexpr int64_t kUlps = 6;
    const bool is_normal =
        distribution == Distribution::kNormal || distribution == Distribution::kTruncatedNormal;
    return {.ulps = is_normal ? kUlps : 0};
  }
  SuiteCounts& counts;
};

}  // namespace

SuiteCounts CompareRandomKernels() {
  SuiteCounts counts;
  ForEachRandom(ComparesRandom{counts});
  return counts;
}

}  // namespace tagflow::conformance
