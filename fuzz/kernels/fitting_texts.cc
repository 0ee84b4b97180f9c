// What of a call's attrs and inputs must suit texts: encodings, runs of words, and rows of them.

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/kernels/fitting.h"

namespace tagflow::fuzz {

void Fitting::FitTextAttr(Graph& graph, NodeId id, const AttrDef& attr) {
  static const auto& encodings =
      *new std::vector<std::string>{"UTF-8", "UTF-8", "UTF-16BE", "ISO-8859-1", "UTF-7"};
  if (attr.name == "input_encoding" && choices_.Chance(kMostly)) {
    graph.SetAttr(id, attr.name, choices_.Of(encodings));
  }
  // In rows, the data is a vector.
  if (attr.name == "Tsplits") {
    dims_.resize(1);
    axis_ = 0;
    term_dims_ = {dims_};
  }
  if (attr.name == "ngram_widths" && choices_.Chance(kMostly)) {
    const int64_t first = choices_.Between(kFew), second = choices_.Between(kFew);
    graph.SetAttr(id, attr.name, IntList({first, second}));
  }
}

// Whether an input says where the rows of the data begin and end.
bool Fitting::IsSplits(size_t index) const {
  if (index >= op_.inputs.size()) return false;
  const ArgDef& input = op_.inputs[index];
  return input.role == ArgRole::kData &&
         (input.name.ends_with("_splits") || input.name == "row_partition_tensors");
}

// From 0 to the length of the data, in some steps.
Tensor Fitting::Splits(DType dtype) {
  Numbers splits = {0};
  // Of several dimensions all have as many rows as there is data.
  const bool is_nested = op_.FindAttr("Tsplits") == nullptr || op_.name.starts_with("Ragged");
  const int64_t inner = is_nested ? dims_[0] - 1 : choices_.Between(kUpToThree);
  for (int64_t more = inner; more > 0; --more) {
    splits.push_back(choices_.Below(static_cast<size_t>(dims_[0]) + 1));
  }
  splits.push_back(dims_[0]);
  std::ranges::sort(splits);
  return VectorOf(dtype, splits);
}

}  // namespace tagflow::fuzz
