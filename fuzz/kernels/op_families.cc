// Tested by kernels_test.cc.

#include "fuzz/kernels/op_families.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "optimized/kernel.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {
namespace {

// Ops of a family begin alike: Tensor…, Stack…, Resource….
bool IsAkin(const OpDef& op, const std::string& name) {
  return op.name.substr(0, 5) == name.substr(0, 5);
}

}  // namespace

bool IsMade(ArgType type) {
  return type.is_ref || type.dtype == DType::kResource || type.dtype == DType::kVariant;
}

bool IsMade(const ArgDef& arg) { return IsMade(ArgType{arg.dtype, arg.is_ref}); }

std::vector<const OpDef*> OpsWhere(bool (*wanted)(const OpDef&)) {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : OpRegistry::Standard().All()) {
    // Of either engine: what one lacks, it shows.
    const bool has_kernel = reference::KernelRegistry::Standard().Find(op->name) != nullptr ||
                            optimized::KernelRegistry::Standard().Find(op->name) != nullptr;
    if (has_kernel && wanted(*op)) ops.push_back(op);
  }
  return ops;
}

const std::vector<const OpDef*>& MakersOf(DType dtype) {
  static const auto& handles = *new std::vector<const OpDef*>(OpsWhere([](const OpDef& op) {
    return !op.outputs.empty() && op.outputs[0].dtype == DType::kResource &&
           std::ranges::none_of(op.inputs, [](const ArgDef& arg) { return IsMade(arg); });
  }));
  static const auto& variants = *new std::vector<const OpDef*>(OpsWhere([](const OpDef& op) {
    return !op.outputs.empty() && op.outputs[0].dtype == DType::kVariant;
  }));
  return dtype == DType::kResource ? handles : variants;
}

const std::vector<const OpDef*>& TakersOfHandles() {
  static const auto& ops = *new std::vector<const OpDef*>(OpsWhere([](const OpDef& op) {
    return !op.inputs.empty() && op.inputs[0].dtype == DType::kResource;
  }));
  return ops;
}

const std::vector<const OpDef*>& TakersOfReferences() {
  static const auto& ops = *new std::vector<const OpDef*>(OpsWhere([](const OpDef& op) {
    return !op.inputs.empty() && op.inputs[0].is_ref && op.FindAttr("T") != nullptr;
  }));
  return ops;
}
const std::vector<const OpDef*>& TakersOfState() {
  static const auto& all = *new std::vector<const OpDef*>([] {
    std::vector<const OpDef*> ops = TakersOfReferences();
    ops.insert(ops.end(), TakersOfHandles().begin(), TakersOfHandles().end());
    ops.insert(ops.end(), 3, OpRegistry::Standard().Find("Identity"));
    for (const OpDef* op : TakersOfHandles()) {
      const bool is_of_few = op->name.starts_with("TensorArray") || op->name.starts_with("Stack");
      if (is_of_few) ops.insert(ops.end(), 2, op);
    }
    return ops;
  }());
  return all;
}

std::vector<const OpDef*> AkinTo(const std::string& name, const std::vector<const OpDef*>& ops) {
  std::vector<const OpDef*> akin;
  std::ranges::copy_if(ops, std::back_inserter(akin),
                       [&](const OpDef* op) { return IsAkin(*op, name); });
  return akin.empty() ? ops : akin;
}

std::vector<const OpDef*> TakersOf(const OpDef& maker) {
  if (maker.name != "VarHandleOp") return AkinTo(maker.name, TakersOfHandles());
  std::vector<const OpDef*> takers = TakersOfHandles();
  std::erase_if(takers, [](const OpDef* op) {
    return op->name.starts_with("Tensor") || op->name.starts_with("Stack");
  });
  return takers;
}

const OpDef* DrawMaker(const std::string& for_op, DType dtype, Choices& choices) {
  const std::vector<const OpDef*>& all = MakersOf(dtype);
  const std::vector<const OpDef*> akin = AkinTo(for_op, all);
  const OpDef* variable = OpRegistry::Standard().Find("VarHandleOp");
  const bool is_variable = dtype == DType::kResource && akin.size() == all.size();
  return is_variable && choices.Chance(kNearlyAlways) ? variable : choices.Of(akin);
}

size_t FormsOf(const OpDef& op) {
  constexpr size_t kAnyType = 16;
  size_t types = 1;  // of all together
  for (const AttrDef& attr : op.attrs) {
    if (attr.kind != AttrKind::kType) continue;
    types *= attr.allowed_types.empty() ? kAnyType : attr.allowed_types.size();
  }
  const bool is_product = op.FindAttr("transpose_a") != nullptr || op.FindAttr("adj_x") != nullptr;
  const bool has_words =
      std::ranges::any_of(op.inputs, [](const ArgDef& arg) { return arg.dtype == DType::kString; });
  const bool has_layouts =
      op.FindAttr("data_format") != nullptr || op.FindAttr("equation") != nullptr;
  const bool is_cast = op.FindAttr("DstT") != nullptr;
  return 3 + op.attrs.size() + std::min<size_t>(types / 4, 40) + (is_product ? 12 : 0) +
         (has_words ? 10 : 0) + (has_layouts ? 25 : 0) + (is_cast ? 50 : 0);
}

std::optional<Tensor> AskedByMaker(const std::string& maker, size_t index, DType dtype) {
  const OpDef& op = *OpRegistry::Standard().Find(maker);
  if (index >= op.inputs.size()) return std::nullopt;
  const ArgRole role = op.inputs[index].role;
  const bool is_any = role == ArgRole::kElementShape || role == ArgRole::kCountOrAny;
  if (!is_any && role != ArgRole::kCount) return std::nullopt;
  const int32_t number = is_any ? -1 : 4;
  if (dtype == DType::kInt64) return Tensor::Scalar<int64_t>(number);
  return Tensor::Scalar<int32_t>(number);
}

}  // namespace tagflow::fuzz
