#include "graph/builder/bind_args.h"

#include <algorithm>

namespace tagflow::internal {
namespace {

bool IsListArg(const ArgDef& arg) {
  return !arg.number_attr.empty() || !arg.type_list_attr.empty();
}

std::string ArgNames(const OpDef& def) {
  std::string names;
  for (const ArgDef& arg : def.inputs) {
    names += (names.empty() ? "" : ", ") + arg.name + (IsListArg(arg) ? "[]" : "");
  }
  return names;
}

// The inputs of each argument: one, or for a list any number.
using Slots = std::vector<std::vector<Input>>;

std::vector<Input> Items(const Input& input) {
  std::vector<Input> items;
  if (input.list() == nullptr) return {input};
  for (const Output& output : *input.list()) items.push_back(output);
  return items;
}

class Binder {
 public:
  Binder(const OpDef& def, const std::string& node, AttrMap attrs)
      : def_(def), node_(node), attrs_(std::move(attrs)) {}

  Status Assign(std::vector<Input> inputs);
  Status CheckAttrNames() const;
  Status InferFromTensors();
  Status InferFromLiterals();
  Result<BoundCall> Finish();

 private:
  Status Error(const std::string& what) const {
    return InvalidArgument("'" + node_ + "' (op " + def_.name + "): " + what).WithNode(node_);
  }
  Status WrongCount(size_t given) const {
    return Error("takes " + std::to_string(def_.inputs.size()) + " arguments (" + ArgNames(def_) +
                 "), not " + std::to_string(given));
  }
  const AttrValue* Attr(const std::string& name) const;
  Status SetType(const ArgDef& arg, DType dtype, const std::string& what);
  Status SetTypeList(const ArgDef& arg, const std::vector<Input>& items);
  Result<DType> TypeOf(const ArgDef& arg, const Input& input) const;

  const OpDef& def_;
  const std::string& node_;
  AttrMap attrs_;
  Slots slots_;
};

const AttrValue* Binder::Attr(const std::string& name) const {
  for (const auto& [key, value] : attrs_) {
    if (key == name) return &value;
  }
  return nullptr;
}

Status Binder::CheckAttrNames() const {
  for (const auto& [name, value] : attrs_) {
    if (name.starts_with('_') || def_.FindAttr(name) != nullptr) continue;
    std::string known;
    for (const AttrDef& attr : def_.attrs) known += (known.empty() ? "" : ", ") + attr.name;
    return Error("there is no attr '" + name + "'; the op has " + (known.empty() ? "none" : known));
  }
  return Status();
}

Status Binder::Assign(std::vector<Input> inputs) {
  const auto lists = std::count_if(def_.inputs.begin(), def_.inputs.end(), IsListArg);
  const bool any_list = std::any_of(inputs.begin(), inputs.end(),
                                    [](const Input& input) { return input.list() != nullptr; });
  const bool flat = lists == 1 && !any_list && inputs.size() + 1 >= def_.inputs.size();
  if (!flat && inputs.size() != def_.inputs.size()) return WrongCount(inputs.size());
  size_t next = 0;
  for (const ArgDef& arg : def_.inputs) {
    if (flat && IsListArg(arg)) {
      const size_t count = inputs.size() + 1 - def_.inputs.size();
      const auto from = inputs.begin() + static_cast<ptrdiff_t>(next);
      slots_.emplace_back(from, from + static_cast<ptrdiff_t>(count));
      next += count;
      continue;
    }
    if (inputs[next].list() != nullptr && !IsListArg(arg)) {
      return Error("'" + arg.name + "' is one tensor, and a list is given");
    }
    slots_.push_back(Items(inputs[next++]));
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    for (const Input& input : slots_[i]) {
      const bool missing = input.empty() || (input.output() && !input.output()->valid());
      if (missing) return Error("'" + def_.inputs[i].name + "' is an empty tensor");
    }
  }
  return Status();
}

// Sets or checks the type attr of `arg`.
Status Binder::SetType(const ArgDef& arg, DType dtype, const std::string& what) {
  const AttrValue* known = Attr(arg.type_attr);
  if (known == nullptr) {
    attrs_.emplace_back(arg.type_attr, dtype);
    return Status();
  }
  const ArgType* type = known->Get<ArgType>();
  if (type == nullptr) return Error("attr '" + arg.type_attr + "' is not a type");
  if (type->dtype == dtype) return Status();
  return Error("'" + arg.name + "' must be " + DTypeName(type->dtype) + ", the type " +
               arg.type_attr + " of the op here, and " + what + " is " + DTypeName(dtype));
}

Status Binder::SetTypeList(const ArgDef& arg, const std::vector<Input>& items) {
  AttrList types;
  for (const Input& input : items) {
    const DType dtype = input.output()    ? input.output()->dtype()
                        : input.literal() ? input.literal()->value().dtype()
                                          : input.tensor()->dtype();
    types.types.push_back(ArgType{dtype, false});
  }
  const AttrValue* known = Attr(arg.type_list_attr);
  if (known == nullptr) {
    attrs_.emplace_back(arg.type_list_attr, std::move(types));
    return Status();
  }
  if (known->list() != nullptr && known->list()->types == types.types) return Status();
  return Error("attr '" + arg.type_list_attr + "' is " + known->ToString() +
               ", which are not the types of the inputs '" + arg.name + "'");
}

Status Binder::InferFromTensors() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ArgDef& arg = def_.inputs[i];
    const auto count = static_cast<int64_t>(slots_[i].size());
    if (!arg.number_attr.empty()) {
      const AttrValue* known = Attr(arg.number_attr);
      if (known == nullptr) {
        attrs_.emplace_back(arg.number_attr, count);
      } else if (!(*known == AttrValue(count))) {
        return Error("attr '" + arg.number_attr + "' is " + known->ToString() + ", and '" +
                     arg.name + "' has " + std::to_string(count) + " tensors");
      }
    }
    if (!arg.type_list_attr.empty()) TAGFLOW_RETURN_IF_ERROR(SetTypeList(arg, slots_[i]));
    if (arg.type_attr.empty()) continue;
    for (const Input& input : slots_[i]) {
      if (input.output() != nullptr) {
        TAGFLOW_RETURN_IF_ERROR(
            SetType(arg, input.output()->dtype(), "'" + input.output()->name() + "'"));
      } else if (input.tensor() != nullptr) {
        TAGFLOW_RETURN_IF_ERROR(SetType(arg, input.tensor()->dtype(), "the constant"));
      }
    }
  }
  return Status();
}

// A type attr that no tensor has fixed: the op's default, else the literal's own type.
Status Binder::InferFromLiterals() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const ArgDef& arg = def_.inputs[i];
    if (arg.type_attr.empty() || Attr(arg.type_attr) != nullptr) continue;
    const AttrDef* attr = def_.FindAttr(arg.type_attr);
    const ArgType* by_default = attr != nullptr && attr->default_value.has_value()
                                    ? attr->default_value->Get<ArgType>()
                                    : nullptr;
    if (by_default != nullptr) {
      attrs_.emplace_back(arg.type_attr, *by_default);
    } else if (!slots_[i].empty()) {
      attrs_.emplace_back(arg.type_attr, slots_[i][0].literal()->value().dtype());
    }
  }
  return Status();
}

Result<DType> Binder::TypeOf(const ArgDef& arg, const Input& input) const {
  if (arg.dtype != DType::kInvalid) return arg.dtype;
  if (arg.type_attr.empty()) return input.literal()->value().dtype();
  const ArgType* type = Attr(arg.type_attr)->Get<ArgType>();
  if (type == nullptr) return Error("attr '" + arg.type_attr + "' is not a type");
  return type->dtype;
}

Result<BoundCall> Binder::Finish() {
  BoundCall call;
  for (size_t i = 0; i < slots_.size(); ++i) {
    for (const Input& input : slots_[i]) {
      BoundInput bound;
      bound.arg = def_.inputs[i].name;
      if (input.output() != nullptr) {
        bound.output = *input.output();
      } else if (input.tensor() != nullptr) {
        bound.constant = *input.tensor();
      } else {
        TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeOf(def_.inputs[i], input));
        Result<Tensor> value = input.literal()->As(dtype);
        if (!value.ok()) return Error("'" + bound.arg + "': " + value.status().message());
        bound.constant = *std::move(value);
      }
      call.inputs.push_back(std::move(bound));
    }
  }
  std::sort(attrs_.begin(), attrs_.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  call.attrs = std::move(attrs_);
  return call;
}

}  // namespace

Result<BoundCall> BindArgs(const OpDef& def, const std::string& node, std::vector<Input> inputs,
                           AttrMap attrs) {
  Binder binder(def, node, std::move(attrs));
  TAGFLOW_RETURN_IF_ERROR(binder.CheckAttrNames());
  TAGFLOW_RETURN_IF_ERROR(binder.Assign(std::move(inputs)));
  TAGFLOW_RETURN_IF_ERROR(binder.InferFromTensors());
  TAGFLOW_RETURN_IF_ERROR(binder.InferFromLiterals());
  return binder.Finish();
}

}  // namespace tagflow::internal
