#include <string>
#include <utility>
#include <vector>

#include "conformance/compare.h"
#include "conformance/gpu/compare_kernels.h"
#include "conformance/gpu/compare_ops.h"
#include "conformance/gpu/over_gpu.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"

namespace tagflow::conformance {
namespace {

using optimized::NamedTensors;

constexpr int64_t kRows = 40, kWidth = 1001;

Tensor RowsOf(DType dtype) { return ElementsOf(dtype, {kRows, kWidth}); }

// Lists of the rows of x, and what is made of their elements; DTYPE is that of x.
constexpr char kLists[] = R"(
  x = Placeholder() dtype=DTYPE
  row = Placeholder() dtype=int32
  rows_like = Placeholder() dtype=int32
  size = Placeholder() dtype=int32
  at = Placeholder() dtype=int32
  order = Placeholder() dtype=int32
  lengths = Placeholder() dtype=int64
  none = Placeholder() dtype=int64
  rows = TensorListFromTensor(x, row) element_dtype=DTYPE shape_type=int32
  longer = TensorListResize(rows, size)
  stacked = TensorListStack(longer, row) element_dtype=DTYPE
  gathered = TensorListGather(rows, at, row) element_dtype=DTYPE
  pieces = TensorListSplit(x, rows_like, lengths) element_dtype=DTYPE shape_type=int32
  joined = TensorListConcat(pieces) element_dtype=DTYPE
  joined_too = TensorListConcatV2(pieces, rows_like, none) element_dtype=DTYPE shape_type=int32
  turned = TensorListScatter(x, order, row) element_dtype=DTYPE shape_type=int32
  turned_back = TensorListStack(turned, row) element_dtype=DTYPE
  sized = TensorListScatterV2(x, order, row, size) element_dtype=DTYPE shape_type=int32
  with_gaps = TensorListStack(sized, row) element_dtype=DTYPE
  again = TensorListScatterIntoExistingList(sized, gathered, at) element_dtype=DTYPE
  replaced = TensorListStack(again, row) element_dtype=DTYPE
)";

// The same of arrays and stacks.
constexpr char kArrays[] = R"(
  x = Placeholder() dtype=DTYPE
  n = Placeholder() dtype=int32
  m = Placeholder() dtype=int32
  i = Placeholder() dtype=int32
  at = Placeholder() dtype=int32
  order = Placeholder() dtype=int32
  lengths = Placeholder() dtype=int64
  array = TensorArrayV3(n) dtype=DTYPE clear_after_read=false
  scattered = TensorArrayScatterV3(array, order, x, array:1) T=DTYPE
  one = TensorArrayReadV3(array, i, scattered) dtype=DTYPE
  some = TensorArrayGatherV3(array, at, scattered) dtype=DTYPE
  all = TensorArrayConcatV3(array, scattered) dtype=DTYPE
  cut = TensorArrayV3(m) dtype=DTYPE
  split = TensorArraySplitV3(cut, x, lengths, cut:1) T=DTYPE
  piece = TensorArrayReadV3(cut, i, split) dtype=DTYPE
  kept = TensorArrayV3(m) dtype=DTYPE
  written = TensorArrayWriteV3(kept, i, x, kept:1) T=DTYPE
  read = TensorArrayReadV3(kept, i, written) dtype=DTYPE
  stack = StackV2(n) elem_type=DTYPE
  pushed = StackPushV2(stack, x) T=DTYPE
  popped = StackPopV2(stack, ^pushed) elem_type=DTYPE
)";

// Written to thrice, of which the array makes a sum.
constexpr char kGradients[] = R"(
  gradient = TensorArrayGradV3(array, scattered) source=s
  first = TensorArrayWriteV3(gradient, i, one, gradient:1) T=DTYPE
  second = TensorArrayWriteV3(gradient, i, one, first) T=DTYPE
  third = TensorArrayWriteV3(gradient, i, one, second) T=DTYPE
  sum = TensorArrayReadV3(gradient, i, third) dtype=DTYPE
)";

std::string WithDType(std::string text, DType dtype) {
  constexpr std::string_view kName = "DTYPE";
  for (size_t at = text.find(kName); at != std::string::npos; at = text.find(kName)) {
    text.replace(at, kName.size(), DTypeName(dtype));
  }
  return text;
}

void Compare(const std::string& name, const std::string& text, const NamedTensors& feeds,
             const std::vector<std::string>& fetches, SuiteCounts& counts) {
  const auto given = RunTextOn("/device:GPU:0", text, feeds, fetches);
  const auto wanted = RunTextOn("/device:CPU:0", text, feeds, fetches);
  for (size_t i = 0; i < fetches.size(); ++i) {
    std::string why;
    if (!given.ok() || !wanted.ok()) {
      why = given.status().ToString() + ", on the host: " + wanted.status().ToString();
    } else {
      why = Difference((*wanted)[i], (*given)[i], {});
    }
    Note(counts, "lists", name + " " + fetches[i], why);
  }
}

std::vector<int32_t> Backwards() {
  std::vector<int32_t> order;
  for (int32_t i = kRows - 1; i >= 0; --i) order.push_back(i);
  return order;
}

}  // namespace

SuiteCounts CompareLists() {
  SuiteCounts counts;
  const Tensor at = Ints({5, 0, 5, 39}), order = Ints(Backwards());
  const Tensor lengths = Tensor::Vector<int64_t>({13, 0, 27});
  for (const DType dtype : optimized::kMovedDTypes) {
    Compare("lists of " + DTypeName(dtype), WithDType(kLists, dtype),
            {{"x", RowsOf(dtype)},
             {"row", Ints({kWidth})},
             {"rows_like", Ints({-1, kWidth})},
             {"size", Tensor::Scalar<int32_t>(kRows + 5)},
             {"at", at},
             {"order", order},
             {"lengths", lengths},
             {"none", *Tensor::Allocate(DType::kInt64, Dims{0})}},
            {"stacked", "gathered", "joined", "joined:1", "joined_too", "turned_back", "with_gaps",
             "replaced"},
            counts);
  }
  for (const DType dtype : {DType::kBool, DType::kInt32, DType::kInt64, DType::kHalf,
                            DType::kBFloat16, DType::kFloat, DType::kDouble}) {
    const bool is_number = dtype != DType::kBool;
    std::vector<std::string> fetches = {"one", "some", "all", "all:1", "piece", "read", "popped"};
    if (is_number) fetches.emplace_back("sum");
    Compare("arrays of " + DTypeName(dtype),
            WithDType(std::string(kArrays) + (is_number ? kGradients : ""), dtype),
            {{"x", RowsOf(dtype)},
             {"n", Tensor::Scalar<int32_t>(kRows)},
             {"m", Tensor::Scalar<int32_t>(3)},
             {"i", Tensor::Scalar<int32_t>(2)},
             {"at", at},
             {"order", order},
             {"lengths", lengths}},
            fetches, counts);
  }
  return counts;
}

}  // namespace tagflow::conformance
