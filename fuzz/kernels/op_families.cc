// Tested by kernels_test.cc.

#include "fuzz/kernels/op_families.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "graph/names_functions.h"
#include "graph/rounding.h"
#include "optimized/kernel.h"
#include "reference/kernel.h"

namespace tagflow::fuzz {
namespace {

// The ops of a family begin alike (Tensor…, Stack…, Resource…); those of tables have "Table"
// somewhere in their names (LookupTableFindV2, InitializeTableV2).
std::string FamilyOf(const std::string& name) {
  const bool is_of_tables = name.find("Table") != std::string::npos;
  return is_of_tables ? "Table" : name.substr(0, 5);
}
bool IsAkin(const OpDef& op, const std::string& name) {
  return FamilyOf(op.name) == FamilyOf(name);
}

// Ops that are never drawn, since a drawn path may be that of a file which is there.
bool ChangesFiles(const OpDef& op) {
  return op.name == "SaveV2" || op.name == "MergeV2Checkpoints";
}

bool HasAttr(const OpDef& op, std::string_view name) { return op.FindAttr(name) != nullptr; }
bool HasWords(const OpDef& op) {
  return std::ranges::any_of(op.inputs,
                             [](const ArgDef& arg) { return arg.dtype == DType::kString; });
}
bool HasLayouts(const OpDef& op) { return HasAttr(op, "data_format") || HasAttr(op, "equation"); }

// Kinds of ops that are called in more ways than their dtypes alone tell.
struct ManyForms {
  bool (*suits)(const OpDef&);
  size_t forms;
};
constexpr ManyForms kManyForms[] = {
    {IsProduct, 12}, {HasWords, 10}, {HasLayouts, 25}, {IsConversion, 50}};
constexpr size_t kFewestForms = 3, kMostFormsByType = 40;
constexpr size_t kAnyType = 16;     // dtypes of an attr that takes any
constexpr size_t kTypesOfForm = 4;  // combinations of dtypes that count as one form

}  // namespace

const OpDef& StandardOp(std::string_view name) { return *OpRegistry::Standard().Find(name); }

bool IsVariable(const OpDef& maker) { return maker.name == "VarHandleOp"; }

bool IsProduct(const OpDef& op) { return HasAttr(op, "transpose_a") || HasAttr(op, "adj_x"); }

bool IsOfPairs(const OpDef& op) {
  return op.inputs.size() == 2 && op.attrs.size() == 1 && !op.inputs[0].is_ref &&
         !op.inputs[0].type_attr.empty() && op.inputs[0].type_attr == op.inputs[1].type_attr;
}

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
    // A call has no library; the property `functions` draws ops that name functions.
    if (has_kernel && !ChangesFiles(*op) && !NamesFunctions(*op) && wanted(*op)) ops.push_back(op);
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
    constexpr size_t kReaders = 3, kOfFew = 2;  // how often these are there besides
    ops.insert(ops.end(), kReaders, &StandardOp("Identity"));
    for (const OpDef* maker : MakersOf(DType::kResource)) {
      if (IsVariable(*maker)) continue;
      for (const OpDef* op : TakersOf(*maker)) ops.insert(ops.end(), kOfFew, op);
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
  if (!IsVariable(maker)) return AkinTo(maker.name, TakersOfHandles());
  std::vector<const OpDef*> takers = TakersOfHandles();
  // Ops of another maker's family take that maker's handles alone.
  std::erase_if(takers, [](const OpDef* op) {
    return std::ranges::any_of(MakersOf(DType::kResource), [&](const OpDef* other) {
      return !IsVariable(*other) && IsAkin(*op, other->name);
    });
  });
  return takers;
}

const OpDef& DrawMaker(const OpDef& for_op, DType dtype, Choices& choices) {
  const std::vector<const OpDef*>& all = MakersOf(dtype);
  const std::vector<const OpDef*> akin = AkinTo(for_op.name, all);
  const bool is_variable = dtype == DType::kResource && akin.size() == all.size();
  return is_variable && choices.Chance(kNearlyAlways) ? StandardOp("VarHandleOp")
                                                      : *choices.Of(akin);
}

size_t FormsOf(const OpDef& op) {
  size_t types = 1;  // combinations of dtypes
  for (const AttrDef& attr : op.attrs) {
    if (attr.kind != AttrKind::kType) continue;
    types *= attr.allowed_types.empty() ? kAnyType : attr.allowed_types.size();
  }
  size_t forms = kFewestForms + op.attrs.size() + std::min(types / kTypesOfForm, kMostFormsByType);
  for (const ManyForms& many : kManyForms) forms += many.suits(op) ? many.forms : 0;
  return forms;
}

std::optional<Tensor> AskedByOther(const OpDef& op, size_t index, DType dtype, Choices& choices) {
  constexpr int32_t kElements = 4, kAny = -1;
  if (index >= op.inputs.size()) return std::nullopt;
  if (dtype != DType::kInt32 && dtype != DType::kInt64) return std::nullopt;
  int32_t number = kAny;
  switch (op.inputs[index].role) {
    case ArgRole::kElementShape:
    case ArgRole::kCountOrAny:
      break;
    case ArgRole::kCount:
      number = kElements;
      break;
    case ArgRole::kScalar:
      number = choices.Between(kUpToThree);
      break;
    default:
      return std::nullopt;
  }
  if (dtype == DType::kInt64) return Tensor::Scalar<int64_t>(number);
  return Tensor::Scalar<int32_t>(number);
}

}  // namespace tagflow::fuzz
