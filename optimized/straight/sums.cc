#include "optimized/straight/sums.h"

#include <vector>

#include "graph/node.h"

namespace tagflow::optimized {
namespace {

bool IsCallOf(const Instruction& call, uint32_t inputs) {
  return call.op == OpCode::kCall && call.n == inputs && call.num_outputs == 1 &&
         call.node != NodeId::kNone;
}
bool IsFloatProduct(const Node& node) {
  if (node.op != "MatMul") return false;
  const Result<DType> dtype = TypeAttr(node, "T");
  return dtype.ok() && (*dtype == DType::kFloat || *dtype == DType::kDouble);
}
bool IsSum(const Node& node) { return node.op == "AddV2" || node.op == "Add" || node.op == "AddN"; }

// The args of the fused kernel, factors first; nothing where the calls do not fit.
bool AppendArgs(Code& code, const Instruction& product, const Instruction& sum) {
  const uint32_t slot = code.outputs[product.b];
  const Arg first = code.args[sum.a], second = code.args[sum.a + 1];
  if ((first.slot == slot) == (second.slot == slot)) return false;
  const Arg& use = first.slot == slot ? first : second;
  const Arg& term = first.slot == slot ? second : first;
  const Arg a = code.args[product.a], b = code.args[product.a + 1];
  if (!use.is_last || a.slot == term.slot || b.slot == term.slot) return false;
  code.args.insert(code.args.end(), {{a.slot, 0}, {b.slot, 0}, term});
  return true;
}

}  // namespace

void FuseSums(const Graph& graph, Code& code) {
  const std::vector<bool> is_target = JumpTargets(code);
  for (size_t i = 0; i + 1 < code.instructions.size(); ++i) {
    Instruction& product = code.instructions[i];
    const Instruction& sum = code.instructions[i + 1];
    if (!IsCallOf(product, 2) || !IsCallOf(sum, 2) || is_target[i + 1]) continue;
    const Node& node = graph.node(product.node);
    if (!IsFloatProduct(node) || !IsSum(graph.node(sum.node))) continue;
    const Result<bool> transpose_a = BoolAttr(node, "transpose_a");
    const Result<bool> transpose_b = BoolAttr(node, "transpose_b");
    if (!transpose_a.ok() || !transpose_b.ok()) continue;
    const auto first_arg = static_cast<uint32_t>(code.args.size());
    if (!AppendArgs(code, product, sum)) continue;
    product.op = OpCode::kCallSum;
    product.target = static_cast<uint32_t>(code.sums.size());
    code.sums.push_back({{*TypeAttr(node, "T"), *transpose_a, *transpose_b}, first_arg});
  }
}

}  // namespace tagflow::optimized
