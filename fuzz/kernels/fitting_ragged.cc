// Ragged tensors, and Fourier transforms, which are of all dimensions. Tested by kernels_test.cc.

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/kernels/fitting.h"

namespace tagflow::fuzz {

void Fitting::FitTransform() {
  if (op_.name.find("FFT") == std::string::npos) return;
  const bool is_3d = op_.name.ends_with("3D"), is_2d = op_.name.ends_with("2D");
  dims_.resize(is_3d ? 3 : is_2d ? 2 : 1, choices_.Between(kSeveral));
}

void Fitting::FitRaggedAttr(Graph& graph, NodeId id, const AttrDef& attr) {
  if (attr.name == "OUTPUT_RAGGED_RANK") {
    const Result<int64_t> rank = IntAttr(graph.node(id), "PARAMS_RAGGED_RANK");
    if (rank.ok()) graph.SetAttr(id, attr.name, *rank);
  }
  // Most variants hold rows without splits; a few of them are in a scalar.
  if (attr.name == "output_ragged_rank") {
    const int64_t rank = choices_.Between(kUpToTwo);
    graph.SetAttr(id, "input_ragged_rank", choices_.Chance(kSometimes) ? -1 : rank);
    graph.SetAttr(id, attr.name, choices_.Chance(kMostly) ? rank + 1 : rank);
  }
  if (attr.name != "row_partition_types") return;
  const Result<int64_t> count = IntAttr(graph.node(id), "num_row_partition_tensors");
  AttrList kinds;
  for (int64_t i = 0; i < std::clamp<int64_t>(count.ok() ? *count : 0, 0, 16); ++i) {
    const bool by_splits = i == 0 || choices_.Chance(kMostly);
    kinds.strings.push_back(by_splits ? "ROW_SPLITS" : "VALUE_ROWIDS");
  }
  graph.SetAttr(id, attr.name, kinds);
}

}  // namespace tagflow::fuzz
