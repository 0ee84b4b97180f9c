#include "graph/op_def.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "graph/hash.h"
#include "graph/op_spec.h"

namespace tagflow {
namespace {

bool IsOpName(std::string_view name) {
  auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto is_inner = [&](char c) {
    return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '>';
  };
  if (name.starts_with('_')) name.remove_prefix(1);  // the runtime's own ops: _Send, _Recv, …
  return !name.empty() && is_upper(name[0]) && std::all_of(name.begin(), name.end(), is_inner);
}

// What `attr` allows a value of to be, apart from its kind; `where` starts the message.
Status CheckType(const AttrDef& attr, ArgType type) {
  if (type.dtype == DType::kInvalid) {
    return InvalidArgument("attr '" + attr.name + "' is no dtype");
  }
  if (attr.allowed_types.empty()) return Status();
  if (std::ranges::find(attr.allowed_types, type.dtype) != attr.allowed_types.end()) {
    return Status();
  }
  std::string names;
  for (const DType allowed : attr.allowed_types) {
    names += (names.empty() ? "" : ", ") + DTypeName(allowed);
  }
  return InvalidArgument("attr '" + attr.name + "' = " + ArgTypeName(type) + " is not one of " +
                         names);
}

Status CheckString(const AttrDef& attr, const std::string& value) {
  const auto& allowed = attr.allowed_strings;
  if (allowed.empty() || std::ranges::find(allowed, value) != allowed.end()) return Status();
  std::string names;
  for (const std::string& name : allowed) names += (names.empty() ? "'" : ", '") + name + "'";
  return InvalidArgument("attr '" + attr.name + "' = '" + value + "' is not one of " + names);
}

Status CheckMinimum(const AttrDef& attr, std::string_view what, int64_t value) {
  if (!attr.minimum.has_value() || value >= *attr.minimum) return Status();
  return InvalidArgument("attr '" + attr.name + "'" + std::string(what) + " = " +
                         std::to_string(value) + " is below " + std::to_string(*attr.minimum));
}

// The length of the list of the wanted kind; nothing when the list holds elements of another kind.
std::optional<size_t> ListLength(const AttrList& list, AttrKind kind) {
  const std::pair<AttrKind, size_t> sizes[] = {
      {AttrKind::kListString, list.strings.size()},
      {AttrKind::kListInt, list.ints.size()},
      {AttrKind::kListFloat, list.floats.size()},
      {AttrKind::kListBool, list.bools.size()},
      {AttrKind::kListType, list.types.size()},
      {AttrKind::kListShape, list.shapes.size()},
      {AttrKind::kListTensor, list.tensors.size()},
      {AttrKind::kListFunction, list.functions.size()},
  };
  size_t length = 0;
  for (const auto& [element, size] : sizes) {
    if (element == kind) length = size;
    if (element != kind && size > 0) return std::nullopt;
  }
  return length;
}

Status WrongKind(const AttrDef& attr, const AttrValue& value) {
  return InvalidArgument("attr '" + attr.name + "' = " + value.ToString() + " is not of kind " +
                         AttrKindName(attr.kind));
}

Status CheckList(const AttrDef& attr, const AttrValue& value) {
  static const AttrList empty;
  const AttrList* list = value.list();
  // An empty list goes over the wire as a value with nothing set.
  if (list == nullptr && value.Get<std::monostate>() != nullptr) list = &empty;
  if (list == nullptr) return WrongKind(attr, value);
  const std::optional<size_t> length = ListLength(*list, attr.kind);
  if (!length.has_value()) return WrongKind(attr, value);
  TAGFLOW_RETURN_IF_ERROR(CheckMinimum(attr, ": its length", static_cast<int64_t>(*length)));
  for (const ArgType type : list->types) TAGFLOW_RETURN_IF_ERROR(CheckType(attr, type));
  for (const std::string& text : list->strings) TAGFLOW_RETURN_IF_ERROR(CheckString(attr, text));
  return Status();
}

}  // namespace

std::string AttrKindName(AttrKind kind) {
  constexpr const char* kNames[] = {"string",       "int",         "float",        "bool",
                                    "type",         "shape",       "tensor",       "func",
                                    "list(string)", "list(int)",   "list(float)",  "list(bool)",
                                    "list(type)",   "list(shape)", "list(tensor)", "list(func)"};
  return kNames[static_cast<size_t>(kind)];
}

Status CheckAttr(const AttrDef& attr, const AttrValue& value) {
  switch (attr.kind) {
    case AttrKind::kString:
      if (const auto* text = value.Get<std::string>()) return CheckString(attr, *text);
      return WrongKind(attr, value);
    case AttrKind::kInt:
      if (const auto* integer = value.Get<int64_t>()) return CheckMinimum(attr, "", *integer);
      return WrongKind(attr, value);
    case AttrKind::kType:
      if (const auto* type = value.Get<ArgType>()) return CheckType(attr, *type);
      return WrongKind(attr, value);
    case AttrKind::kFloat:
      return value.Get<float>() != nullptr ? Status() : WrongKind(attr, value);
    case AttrKind::kBool:
      return value.Get<bool>() != nullptr ? Status() : WrongKind(attr, value);
    case AttrKind::kShape:
      return value.Get<PartialShape>() != nullptr ? Status() : WrongKind(attr, value);
    case AttrKind::kTensor:
      return value.Get<Tensor>() != nullptr ? Status() : WrongKind(attr, value);
    case AttrKind::kFunction:
      return value.function() != nullptr ? Status() : WrongKind(attr, value);
    default:
      return CheckList(attr, value);
  }
}

const AttrDef* OpDef::FindAttr(std::string_view name) const {
  for (const AttrDef& attr : attrs) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

OpDefBuilder::OpDefBuilder(std::string_view name) {
  op_.name = name;
  if (!IsOpName(name)) error_ = InvalidArgument("it is not an op's name: write CamelCase");
}

OpDefBuilder& OpDefBuilder::Input(std::string_view spec, ArgRole role) {
  args_.push_back({false, std::string(spec), role});
  return *this;
}

OpDefBuilder& OpDefBuilder::Output(std::string_view spec, ArgRole role) {
  args_.push_back({true, std::string(spec), role});
  return *this;
}

OpDefBuilder& OpDefBuilder::Attr(std::string_view spec) {
  Result<AttrDef> attr = ParseAttrSpec(spec);
  Status status = attr.status();
  if (attr.ok() && op_.FindAttr(attr->name) != nullptr) {
    status = InvalidArgument("the attr '" + attr->name + "' is declared twice");
  }
  if (attr.ok() && status.ok() && attr->default_value.has_value()) {
    status = CheckAttr(*attr, *attr->default_value);
  }
  if (status.ok()) op_.attrs.push_back(*std::move(attr));
  if (error_.ok()) error_ = status;
  return *this;
}

OpDefBuilder& OpDefBuilder::Summary(std::string_view line) {
  op_.summary = line;
  return *this;
}

OpDefBuilder& OpDefBuilder::Stateful() {
  op_.is_stateful = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::OnlyLooks() {
  op_.only_looks = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::Commutative() {
  op_.is_commutative = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::Rounds(Rounding rounding) {
  op_.rounding = rounding;
  return *this;
}

OpDefBuilder& OpDefBuilder::AllowsUninitializedInput() {
  op_.allows_uninitialized_input = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::Shape(ShapeFunction function) {
  op_.shape_function = std::move(function);
  return *this;
}

Result<OpDef> OpDefBuilder::Build() const {
  auto in_op = [this](const Status& status) {
    return Status(status.code(), "op '" + op_.name + "': " + status.message());
  };
  if (!error_.ok()) return in_op(error_);
  OpDef op = op_;
  std::set<std::string> names[2];
  for (const auto& [is_output, spec, role] : args_) {
    Result<ArgDef> arg = ParseArgSpec(spec, op.attrs);
    if (!arg.ok()) return in_op(arg.status());
    arg->role = role;
    if (!names[is_output].insert(arg->name).second) {
      return in_op(InvalidArgument("the argument '" + arg->name + "' is declared twice"));
    }
    (is_output ? op.outputs : op.inputs).push_back(*std::move(arg));
  }
  return op;
}

struct OpRegistry::Table {
  std::unordered_map<std::string, std::unique_ptr<const OpDef>, StringHash, std::equal_to<>> ops;
};

OpRegistry::OpRegistry() : table_(std::make_unique<Table>()) {}
OpRegistry::~OpRegistry() = default;

Status OpRegistry::Register(const OpDefBuilder& builder) {
  TAGFLOW_ASSIGN_OR_RETURN(OpDef op, builder.Build());
  std::unique_ptr<const OpDef>& place = table_->ops[op.name];
  if (place != nullptr) return AlreadyExists("the op '" + op.name + "' is registered twice");
  place = std::make_unique<const OpDef>(std::move(op));
  return Status();
}

const OpDef* OpRegistry::Find(std::string_view name) const {
  const auto found = table_->ops.find(std::string(name));
  return found == table_->ops.end() ? nullptr : found->second.get();
}

std::vector<const OpDef*> OpRegistry::All() const {
  std::vector<const OpDef*> all;
  all.reserve(table_->ops.size());
  for (const auto& [name, op] : table_->ops) all.push_back(op.get());
  std::ranges::sort(all, {}, &OpDef::name);
  return all;
}

const OpRegistry& OpRegistry::Standard() {
  // Never destroyed: graphs that live as long as the process hold pointers into it.
  static const OpRegistry* const standard = [] {
    auto* registry = new OpRegistry();
    const Status status = RegisterStandardOps(*registry);
    if (!status.ok()) CheckFailed(__FILE__, __LINE__, status.message().c_str());
    return registry;
  }();
  return *standard;
}

}  // namespace tagflow
