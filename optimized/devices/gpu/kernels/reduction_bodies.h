#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_BODIES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_BODIES_H_

// Reductions over some dimensions, as a tree that depends on the shapes alone: the same bits on
// every GPU, in every run, and on the host.
//
// The n elements of an output are cut into m = ceil(n / kChunk) chunks, of which chunk j has the
// elements j, j + m, j + 2m, ... A pass folds each chunk, in order, to one total; the m totals are
// the elements of the next pass, until one is left. Chunks are so interleaved that neighbouring
// threads read neighbouring elements: where the innermost dimensions are reduced, threads that
// follow each other have the chunks of one output, else the outputs of one chunk.
//
// Costs: ceil(log_kChunk(n)) passes, at least one, and memory for n / kChunk totals of each output.
//
// Tested by conformance/gpu/host_reductions_test.cc.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "graph/dtype.h"
#include "optimized/devices/gpu/kernels/each_index.h"
#include "optimized/devices/gpu/kernels/folds.h"
#include "optimized/devices/gpu/kernels/reduction_places.h"

namespace tagflow::optimized {

// A million elements are three passes and a fourth of one chunk, each wide enough for a GPU.
inline constexpr int64_t kChunk = 32;
inline int64_t ChunksOf(int64_t elements) {
  return std::max<int64_t>(1, (elements + kChunk - 1) / kChunk);
}

// No total is larger.
inline constexpr int64_t kTotalBytesMax = 16;
// How many totals the two rooms between passes hold.
struct RoomSizes {
  int64_t first = 0, second = 0;
};
inline RoomSizes RoomsFor(const ReductionPlaces& places) {
  const int64_t chunks = ChunksOf(places.elements);
  if (chunks == 1) return {};
  return {places.outputs * chunks, chunks > kChunk ? places.outputs * ChunksOf(chunks) : 0};
}

struct ReductionArgs {
  const void* x;
  void* out;
  void* rooms[2];  // as RoomsFor says, of kTotalBytesMax for each total
  ReductionPlaces places;
  const void* by_output = nullptr;  // of folds that have something for each output
};

template <typename F>
struct ResultOfFold {
  using Type = typename F::Element;
};
template <typename F>
requires requires { typename F::Result; }
struct ResultOfFold<F> {
  using Type = typename F::Result;
};

// A pass.
//   i: a chunk of an output, as the file's head says they follow each other
template <typename F, bool is_first, bool is_last>
struct FoldBody {
  using Total = typename F::Total;
  using Element = typename F::Element;
  using In = std::conditional_t<is_first, Element, Total>;
  using Out = std::conditional_t<is_last, typename ResultOfFold<F>::Type, Total>;
  static_assert(sizeof(Total) <= kTotalBytesMax);

  // elements: of this pass, for each output
  FoldBody(const ReductionArgs& args, const void* from, void* to, int64_t elements)
      : places(args.places),
        by_output(args.by_output),
        x(static_cast<const In*>(from)),
        out(static_cast<Out*>(to)),
        count(elements),
        chunks(ChunksOf(elements)) {}
  int64_t indices() const { return places.outputs * chunks; }

  TAGFLOW_ANYWHERE void operator()(int64_t i) const {
    const bool side_by_side = places.reduced_is_innermost;
    const int64_t output = side_by_side ? i / chunks : i % places.outputs;
    const int64_t chunk = side_by_side ? i % chunks : i / places.outputs;
    Total total = F::Start();
    if constexpr (is_first) {
      const In* const begin = x + places.kept.Offset(output);
      for (int64_t at = chunk; at < count; at += chunks) {
        total = F::Merge(total, Take(begin[places.reduced.Offset(at)], at, output));
      }
    } else {
      const int64_t step = side_by_side ? 1 : places.outputs;
      const In* const begin = x + (side_by_side ? output * count : output);
      for (int64_t at = chunk; at < count; at += chunks) {
        total = F::Merge(total, begin[at * step]);
      }
    }
    if constexpr (is_last) {
      out[i] = F::Finish(total, places.elements);
    } else {
      out[i] = total;
    }
  }
  TAGFLOW_ANYWHERE Total Take(Element element, int64_t at, [[maybe_unused]] int64_t output) const {
    if constexpr (requires { typename F::ByOutput; }) {
      return F::Of(element, at, static_cast<const typename F::ByOutput*>(by_output)[output]);
    } else {
      return F::Of(element, at);
    }
  }
  ReductionPlaces places;
  const void* by_output;
  const In* x;
  Out* out;
  int64_t count;
  int64_t chunks;
};

// Makes all passes, each by run(body, indices), which gives an error, or what is zero.
template <typename F, typename Run>
auto RunPasses(const ReductionArgs& args, const Run& run) {
  const auto pass = [&run](const auto& body) { return run(body, body.indices()); };
  const ReductionPlaces& places = args.places;
  if (ChunksOf(places.elements) == 1) {
    return pass(FoldBody<F, true, true>(args, args.x, args.out, places.elements));
  }
  auto error = pass(FoldBody<F, true, false>(args, args.x, args.rooms[0], places.elements));
  int64_t left = ChunksOf(places.elements);
  int room = 0;
  for (; error == decltype(error)() && ChunksOf(left) > 1; left = ChunksOf(left), room = 1 - room) {
    error = pass(FoldBody<F, false, false>(args, args.rooms[room], args.rooms[1 - room], left));
  }
  if (error != decltype(error)()) return error;
  return pass(FoldBody<F, false, true>(args, args.rooms[room], args.out, left));
}

// Calls visit.template operator()<F>(op, dtype) for every reduction.
template <template <typename> typename Fold, typename Visit>
void VisitFloatFolds(const char* op, const Visit& visit) {
  visit.template operator()<Fold<float>>(op, DType::kFloat);
  visit.template operator()<Fold<double>>(op, DType::kDouble);
}
template <template <typename> typename Fold, typename Visit>
void VisitNumberFolds(const char* op, const Visit& visit) {
  VisitFloatFolds<Fold>(op, visit);
  visit.template operator()<Fold<int32_t>>(op, DType::kInt32);
  visit.template operator()<Fold<int64_t>>(op, DType::kInt64);
}
template <typename Visit>
void ForEachReduction(const Visit& visit) {
  VisitNumberFolds<SumFold>("Sum", visit);
  VisitNumberFolds<MeanFold>("Mean", visit);
  VisitNumberFolds<ProdFold>("Prod", visit);
  VisitNumberFolds<MaxFold>("Max", visit);
  VisitNumberFolds<MinFold>("Min", visit);
  VisitFloatFolds<NormFold>("EuclideanNorm", visit);
  visit.template operator()<AllFold>("All", DType::kInvalid);
  visit.template operator()<AnyFold>("Any", DType::kInvalid);
  VisitNumberFolds<SumFold>("BiasAddGrad", visit);
  VisitFloatFolds<L2LossFold>("L2Loss", visit);
}

// Calls visit.template operator()<F>(op, dtype, dtype of the output) for ArgMax and ArgMin.
template <bool is_max, typename C, typename Visit>
void VisitArgBest(const char* op, DType dtype, const Visit& visit) {
  visit.template operator()<ArgBestFold<C, is_max, int32_t>>(op, dtype, DType::kInt32);
  visit.template operator()<ArgBestFold<C, is_max, int64_t>>(op, dtype, DType::kInt64);
}
template <bool is_max, typename Visit>
void VisitArgBestOfNumbers(const char* op, const Visit& visit) {
  VisitArgBest<is_max, float>(op, DType::kFloat, visit);
  VisitArgBest<is_max, double>(op, DType::kDouble, visit);
  VisitArgBest<is_max, int32_t>(op, DType::kInt32, visit);
  VisitArgBest<is_max, int64_t>(op, DType::kInt64, visit);
}
template <typename Visit>
void ForEachArgBest(const Visit& visit) {
  VisitArgBestOfNumbers<true>("ArgMax", visit);
  VisitArgBestOfNumbers<false>("ArgMin", visit);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_KERNELS_REDUCTION_BODIES_H_
