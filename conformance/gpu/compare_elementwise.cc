#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"
#include "optimized/devices/gpu/kernels/cast_bodies.h"
#include "optimized/devices/gpu/kernels/elementwise_bodies.h"

namespace tagflow::conformance {
namespace {

using namespace optimized;  // NOLINT: the tables of kernels

// Bit for bit, but for what the libraries of the host and of CUDA compute, each in its own way.
template <typename F>
std::string CompareKernel(const std::string& op, const std::string& attrs,
                          const std::vector<Tensor>& inputs) {
  constexpr int64_t kUlps = 2;
  return CompareOp(op, attrs, inputs, {.ulps = kCallsLibrary<F> ? kUlps : 0});
}

struct ComparesPairs {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    const Tensor matrix = Numbers<C>(3000).Reshaped(Dims{3, 1000});
    Note(counts, "kernels", std::string(op) + AttrsOf(dtype),
         CompareKernel<F>(op, AttrsOf(dtype), {matrix, Numbers<C>(1000)}));
    if constexpr (RefusingPairs<F, C>) {
      Tensor divisors = *Numbers<C>(1000).Clone();
      std::ranges::replace(std::span(divisors.mutable_data<C>(), 1000), C(0), C(5));
      Note(counts, "kernels", std::string(op) + AttrsOf(dtype) + ", no zeros",
           CompareKernel<F>(op, AttrsOf(dtype), {matrix, divisors}));
    }
  }
  SuiteCounts& counts;
};
struct ComparesSamePairs {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    constexpr int64_t kCount = 100'003, kShift = 13;  // so that corners meet others
    const Tensor more = Numbers<C>(kCount + kShift);
    Note(counts, "kernels", std::string(op) + AttrsOf(dtype),
         CompareKernel<F>(op, AttrsOf(dtype),
                          {more.SliceOuter(0, kCount), more.SliceOuter(kShift, kCount)}));
  }
  SuiteCounts& counts;
};
struct ComparesCasts {
  template <typename F, typename From>
  void operator()(const CastKind& kind) const {
    const std::string attrs = " SrcT=" + DTypeName(kind.from) + " DstT=" + DTypeName(kind.to) +
                              (kind.truncates ? " Truncate=true" : "");
    Note(counts, "kernels", "Cast" + attrs, CompareOp("Cast", attrs, {Input<From>()}, {}));
  }
  template <typename From>
  static Tensor Input() {
    constexpr int64_t kCount = 100'003;
    constexpr DType kFrom = DTypeOf<From>::value;
    if constexpr (kFrom == DType::kHalf || kFrom == DType::kBFloat16) {
      return Converted(Numbers<float>(kCount), DType::kFloat, kFrom);
    } else {
      return Numbers<From>(kCount);
    }
  }
  SuiteCounts& counts;
};
struct ComparesMaps {
  template <typename F, typename C>
  void operator()(const char* op, DType dtype) const {
    Note(counts, "kernels", std::string(op) + AttrsOf(dtype),
         CompareKernel<F>(op, AttrsOf(dtype), {Numbers<C>(100'003)}));
  }
  SuiteCounts& counts;
};

// Ops that move elements, or choose among them, with elements of the type T; shapes of odd sizes.
template <typename T>
std::vector<Call> Moves() {
  const std::string type = "T=" + DTypeName(DTypeOf<T>::value);
  const Tensor cube = Numbers<T>(13 * 17 * 19).Reshaped(Dims{13, 17, 19});
  const Tensor plate = Numbers<T>(17 * 19).Reshaped(Dims{17, 19});
  const Tensor conditions = Numbers<bool>(17 * 19).Reshaped(Dims{17, 19});
  const Tensor edges = Ints({1, 2, 0, 3, 4, 0}).Reshaped(Dims{3, 2});
  const std::string slice = type + " Index=int32";
  const std::string rows = "Tparams=" + DTypeName(DTypeOf<T>::value) + " Tindices=int32";
  const std::string gather =
      "Tparams=" + DTypeName(DTypeOf<T>::value) + " Tindices=int32 Taxis=int32";
  std::vector<int32_t> batched;
  for (int32_t i = 0; i < 13 * 2; ++i) batched.push_back(i * 5 % 19);
  return {
      {"Transpose", type + " Tperm=int32", {cube, Ints({2, 0, 1})}},
      {"Slice", slice, {cube, Ints({1, 0, 2}), Ints({11, 5, 16})}},
      {"StridedSlice", slice, {cube, Ints({12, 0}), Ints({1, 17}), Ints({-3, 2})}},
      {"StridedSliceGrad",
       slice,
       {Ints({17, 19}), Ints({0, 1}), Ints({17, 19}), Ints({1, 2}),
        Numbers<T>(17 * 9).Reshaped(Dims{17, 9})}},
      {"ConcatV2", type + " Tidx=int32 N=2", {cube, cube, Int(1)}},
      {"Concat", type + " N=2", {Int(2), cube, cube}},
      {"Pack", type + " N=3 axis=1", {plate, plate, plate}},
      {"Split", type + " num_split=1", {Int(1), cube}},
      {"SplitV", type + " Tlen=int32 num_split=2", {cube, Ints({5, -1}), Int(1)}},
      {"Unpack", type + " num=19 axis=2", {cube}},
      {"Pad", type + " Tpaddings=int32", {cube, edges}},
      {"PadV2",
       type + " Tpaddings=int32",
       {cube, edges, Numbers<T>(9).SliceOuter(8, 1).Reshaped({})}},
      {"Tile", type + " Tmultiples=int32", {cube, Ints({2, 1, 3})}},
      {"BroadcastTo", type + " Tidx=int32", {plate, Ints({5, 17, 19})}},
      {"ReverseV2", type + " Tidx=int32", {cube, Ints({0, 2})}},
      {"Fill", type + " index_type=int32", {Ints({123, 45}), Numbers<T>(8).SliceOuter(1, 1)}},
      {"OnesLike", type, {cube}},
      {"ZerosLike", type, {cube}},
      {"SelectV2", type, {conditions, cube, plate}},
      {"Gather", rows, {cube, Ints({12, 0, 3, 3})}},
      {"GatherV2", gather, {cube, Ints({16, 0, 3, 3}), Int(1)}},
      {"GatherV2", gather, {cube, Ints({16, 0, 17, -1}), Int(1)}},  // refused
      {"GatherV2", gather + " batch_dims=1", {cube, Ints(batched).Reshaped(Dims{13, 2}), Int(2)}},
      {"Select", type, {conditions, plate, plate}},
  };
}

template <typename T>
std::vector<Call> Sums() {
  const std::string type = "T=" + DTypeName(DTypeOf<T>::value);
  const Tensor x = Numbers<T>(1001), cube = Numbers<T>(5 * 7 * 11).Reshaped(Dims{5, 7, 11});
  return {
      {"AddN", type + " N=10", std::vector<Tensor>(10, x)},
      {"AccumulateNV2", type + " N=3 shape=[1001]", std::vector<Tensor>(3, x)},
      {"BiasAddV1", type, {cube, Numbers<T>(11)}},
      {"BiasAdd", type, {cube, Numbers<T>(11)}},
      {"BiasAdd", type + " data_format=NCHW", {cube, Numbers<T>(8).SliceOuter(1, 7)}},
  };
}

}  // namespace

SuiteCounts CompareElementwiseKernels() {
  SuiteCounts counts;
  CompareCalls(Moves<bool>(), counts);
  CompareCalls(Moves<float>(), counts);
  CompareCalls(Moves<int64_t>(), counts);
  CompareCalls(Moves<uint8_t>(), counts);
  CompareCalls(Moves<int16_t>(), counts);
  CompareCalls(Sums<float>(), counts);
  CompareCalls(Sums<double>(), counts);
  CompareCalls(Sums<int32_t>(), counts);
  CompareCalls(Sums<int64_t>(), counts);
  ForEachCastKernel(ComparesCasts{counts});
  ForEachPairKernel(ComparesPairs{counts});
  ForEachSamePairKernel(ComparesSamePairs{counts});
  ForEachMapKernel(ComparesMaps{counts});
  return counts;
}

}  // namespace tagflow::conformance
