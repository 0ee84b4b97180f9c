#include <string>
#include <vector>

#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"

namespace tagflow::conformance {
namespace {

constexpr int64_t kUpdates = 3001, kRows = 523, kSize = 19;

template <typename T>
std::string Type() {
  return "T=" + DTypeName(DTypeOf<T>::value);
}

// Rows that are changed by many updates each; the last call of each is refused.
template <typename T>
std::vector<Call> Updates() {
  const std::string attrs = Type<T>() + " Tindices=int32";
  const Tensor tensor = NumbersOf<T>({kRows, kSize}), updates = NumbersOf<T>({kUpdates, kSize});
  const Tensor at = Scrambled<int32_t>(kUpdates, kRows).Reshaped(Dims{kUpdates, 1});
  const Tensor outside = Scrambled<int32_t>(kUpdates, kRows + 1).Reshaped(Dims{kUpdates, 1});
  std::vector<Call> calls = {
      {"ScatterNd", attrs, {at, updates, Ints({kRows, kSize})}},
      {"ScatterNd", attrs, {outside, updates, Ints({kRows, kSize})}},
  };
  for (const char* op : {"ScatterNdNonAliasingAdd", "TensorScatterAdd", "TensorScatterSub",
                         "TensorScatterMax", "TensorScatterMin"}) {
    calls.push_back({op, attrs, {tensor, at, updates}});
    calls.push_back({op, attrs + " bad_indices_policy=IGNORE", {tensor, outside, updates}});
  }
  return calls;
}

template <typename T>
std::vector<Call> Segments() {
  const std::string attrs = Type<T>() + " Tindices=int32";
  const Tensor data = NumbersOf<T>({kUpdates, kSize}), ids = Scrambled<int32_t>(kUpdates, kRows);
  std::vector<Call> calls;
  for (const char* op :
       {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"}) {
    calls.push_back({op, attrs, {data, ids, Int(kRows)}});
    calls.push_back({op, attrs, {data, ids, Int(kRows - 1)}});
  }
  return calls;
}

template <typename T>
std::vector<Call> Scans() {
  const Tensor x = NumbersOf<T>({kRows, 17, kSize});
  std::vector<Call> calls;
  for (const char* op : {"Cumsum", "Cumprod"}) {
    for (const int32_t axis : {0, 2}) {
      calls.push_back({op, Type<T>() + " Tidx=int32", {x, Int(axis)}});
      calls.push_back({op, Type<T>() + " Tidx=int32 exclusive=true reverse=true", {x, Int(axis)}});
    }
  }
  return calls;
}

// Ops that move elements of the type T, or of as many bytes.
template <typename T>
std::vector<Call> Moves() {
  const std::string attrs = Type<T>() + " Tindices=int32";
  const Tensor tensor = NumbersOf<T>({kRows, kSize}), updates = NumbersOf<T>({kUpdates, kSize});
  const Tensor at = Scrambled<int32_t>(kUpdates, kRows).Reshaped(Dims{kUpdates, 1});
  const Tensor outside = Scrambled<int32_t>(kUpdates, kRows + 1).Reshaped(Dims{kUpdates, 1});
  const std::string dtype = DTypeName(DTypeOf<T>::value);
  const Tensor element = Numbers<T>(9).SliceOuter(8, 1).Reshaped({});
  const Tensor other = Numbers<T>(10).SliceOuter(9, 1).Reshaped({});
  return {
      {"TensorScatterUpdate", attrs, {tensor, at, updates}},
      {"GatherNd", "Tparams=" + dtype + " Tindices=int32", {tensor, at}},
      {"GatherNd", "Tparams=" + dtype + " Tindices=int32", {tensor, outside}},  // refused
      {"OneHot",
       Type<T>() + " TI=int32 axis=0",
       {Scrambled<int32_t>(kRows, 37), Int(31), element, other}},
      {"ReverseSequence",
       Type<T>() + " Tlen=int32 seq_dim=0 batch_dim=1",
       {tensor, Scrambled<int32_t>(kSize, kRows)}},
      {"MatrixBandPart", Type<T>() + " Tindex=int32", {tensor, Int(-1), Int(3)}},
  };
}

template <typename T>
std::vector<Call> Diagonals() {
  const std::string type = Type<T>();
  const Tensor matrices = NumbersOf<T>({7, 61, 53}), vectors = NumbersOf<T>({7, 53});
  const Tensor band = Ints({-2, 1}), element = Numbers<T>(9).SliceOuter(8, 1).Reshaped({});
  const Tensor bands = NumbersOf<T>({7, 4, 53}), fewer = Int(-1);
  std::vector<Call> calls = {
      {"Diag", type, {vectors}},
      {"DiagPart", type, {NumbersOf<T>({7, 53, 7, 53})}},
      {"MatrixDiag", type, {vectors}},
      {"MatrixDiagPart", type, {matrices}},
      {"MatrixSetDiag", type, {matrices, vectors}},
  };
  for (const std::string version : {"V2", "V3"}) {
    calls.push_back({"MatrixDiag" + version, type, {bands, band, fewer, fewer, element}});
    calls.push_back({"MatrixDiagPart" + version, type, {matrices, band, element}});
    calls.push_back({"MatrixSetDiag" + version, type, {matrices, bands, band}});
  }
  return calls;
}

}  // namespace

SuiteCounts CompareIndexingKernels() {
  SuiteCounts counts;
  CompareCalls(Updates<float>(), counts);
  CompareCalls(Updates<double>(), counts);
  CompareCalls(Updates<int32_t>(), counts);
  CompareCalls(Updates<int64_t>(), counts);
  CompareCalls(Segments<float>(), counts);
  CompareCalls(Segments<double>(), counts);
  CompareCalls(Segments<int32_t>(), counts);
  CompareCalls(Segments<int64_t>(), counts);
  CompareCalls(Scans<float>(), counts);
  CompareCalls(Scans<double>(), counts);
  CompareCalls(Scans<int32_t>(), counts);
  CompareCalls(Scans<int64_t>(), counts);
  CompareCalls(Moves<bool>(), counts);
  CompareCalls(Moves<int16_t>(), counts);
  CompareCalls(Moves<float>(), counts);
  CompareCalls(Moves<int64_t>(), counts);
  CompareCalls(Diagonals<bool>(), counts);
  CompareCalls(Diagonals<int16_t>(), counts);
  CompareCalls(Diagonals<float>(), counts);
  CompareCalls(Diagonals<int64_t>(), counts);
  return counts;
}

}  // namespace tagflow::conformance
