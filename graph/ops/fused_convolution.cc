#include "graph/ops/fused_convolution.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace tagflow {
namespace {

using Names = std::vector<std::string>;

constexpr std::pair<std::string_view, FusedActivation> kActivations[] = {
    {"Relu", FusedActivation::kRelu},
    {"Relu6", FusedActivation::kRelu6},
    {"Elu", FusedActivation::kElu},
    {"LeakyRelu", FusedActivation::kLeakyRelu},
};

Status NoSuchOps(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return Unimplemented("Fusion is not implemented: [" + text + "]");
}

Result<FusedOps> ParseOps(const Names& names) {
  if (names.empty()) return InvalidArgument("Fused Conv2D must have at least one fused op.");
  FusedOps ops;
  ops.normalizes = names[0] == "FusedBatchNorm";
  if ((!ops.normalizes && names[0] != "BiasAdd") || names.size() > 2) return NoSuchOps(names);
  if (names.size() == 1) return ops;
  const auto found = std::ranges::find(kActivations, std::string_view(names[1]),
                                       &std::pair<std::string_view, FusedActivation>::first);
  if (found == std::end(kActivations)) return NoSuchOps(names);
  ops.activation = found->second;
  return ops;
}

}  // namespace

Result<FusedOps> ReadFusedOps(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList names, ListAttr(node, "fused_ops"));
  TAGFLOW_ASSIGN_OR_RETURN(FusedOps ops, ParseOps(names.strings));
  TAGFLOW_ASSIGN_OR_RETURN(ops.epsilon, FloatAttr(node, "epsilon"));
  TAGFLOW_ASSIGN_OR_RETURN(ops.leakyrelu_alpha, FloatAttr(node, "leakyrelu_alpha"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string format, StringAttr(node, "filter_format"));
  if (format != "HWIO") return Unimplemented("no CPU kernel for filter_format '" + format + "'");
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t num_args, IntAttr(node, "num_args"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList types, ListAttr(node, "TArgs"));
  if (num_args != ops.num_args() || std::ssize(types.types) != num_args) {
    return InvalidArgument("the fused ops take " + std::to_string(ops.num_args()) +
                           " arguments, not " + std::to_string(num_args) + " of " +
                           std::to_string(types.types.size()));
  }
  return ops;
}

Status CheckFusedArgs(const std::vector<Tensor>& args, int64_t channels) {
  for (const Tensor& arg : args) {
    if (arg.rank() == 1 && arg.dim(0) == channels) continue;
    return InvalidArgument("an argument of fused ops must be a vector of " +
                           std::to_string(channels) + " channels, not of shape " +
                           DimsString(arg.dims()));
  }
  return Status();
}

}  // namespace tagflow
