#include "graph/io/attr_proto.h"

#include <algorithm>
#include <optional>

#include "graph/io/parse.h"
#include "graph/io/unknown_fields.h"
#include "graph/limits.h"

namespace tagflow {
namespace {

constexpr int kRefOffset = 100;  // from a dtype's number to that of its reference

// Nothing for a number that names no dtype of ours.
std::optional<ArgType> TypeFromProto(int number) {
  const bool is_ref = number > kRefOffset;
  const int base = is_ref ? number - kRefOffset : number;
  if (base != DT_INVALID && !IsKnownDType(base)) return std::nullopt;
  return ArgType{static_cast<DType>(base), is_ref};
}

DataType TypeToProto(ArgType type) {
  return static_cast<DataType>(static_cast<int>(type.dtype) + (type.is_ref ? kRefOffset : 0));
}

bool HasDimNames(const TensorShapeProto& shape) {
  return std::any_of(shape.dim().begin(), shape.dim().end(),
                     [](const auto& dim) { return !dim.name().empty(); });
}

bool HasUnknown(const google::protobuf::Message& message) {
  return !UnknownFields(message).empty();
}

// Whether a Tensor can stand for the message.
bool HoldsTensor(const TensorProto& proto) {
  const int number = proto.dtype();
  if (!IsKnownDType(number) || !IsTensorDType(static_cast<DType>(number))) return false;
  return std::none_of(proto.resource_handle_val().begin(), proto.resource_handle_val().end(),
                      [](const auto& handle) { return handle.dtypes_and_shapes_size() > 0; });
}

// Whether something would be lost in a native attr that nobody needs to read.
bool WouldLose(const AttrValueProto& proto) {
  switch (proto.value_case()) {
    case AttrValueProto::kShape:
      return HasUnknown(proto.shape()) || HasDimNames(proto.shape());
    case AttrValueProto::kTensor:
      return HasUnknown(proto.tensor()) || HasDimNames(proto.tensor().tensor_shape());
    case AttrValueProto::kList:
      return HasUnknown(proto.list()) ||
             std::any_of(proto.list().shape().begin(), proto.list().shape().end(), HasDimNames);
    default:
      return false;
  }
}

class Reader {
 public:
  Reader(bool is_read, TensorBudget& budget) : is_read_(is_read), budget_(budget) {}

  Result<AttrValue> Attr(const AttrValueProto& proto) {
    switch (proto.value_case()) {
      case AttrValueProto::kS:
        return AttrValue(proto.s());
      case AttrValueProto::kI:
        return AttrValue(static_cast<int64_t>(proto.i()));
      case AttrValueProto::kF:
        return AttrValue(proto.f());
      case AttrValueProto::kB:
        return AttrValue(proto.b());
      case AttrValueProto::kPlaceholder:
        return AttrValue(AttrPlaceholder{proto.placeholder()});
      case AttrValueProto::kType:
        if (const auto type = TypeFromProto(proto.type())) return AttrValue(*type);
        return Opaque(proto);
      case AttrValueProto::VALUE_NOT_SET:
        return HasUnknown(proto) ? Opaque(proto) : AttrValue();
      default:
        if (!is_read_ && WouldLose(proto)) return Opaque(proto);
        return Compound(proto);
    }
  }

 private:
  static AttrValue Opaque(const AttrValueProto& proto) {
    return AttrValue(OpaqueAttr{SerializeDeterministic(proto)});
  }

  Result<AttrValue> Compound(const AttrValueProto& proto) {
    if (proto.has_shape()) {
      TAGFLOW_ASSIGN_OR_RETURN(PartialShape shape, ShapeFromProto(proto.shape()));
      return AttrValue(std::move(shape));
    }
    if (proto.has_tensor()) {
      if (!HoldsTensor(proto.tensor())) return Opaque(proto);
      TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(proto.tensor(), budget_));
      return AttrValue(std::move(tensor));
    }
    if (proto.has_func()) {
      TAGFLOW_ASSIGN_OR_RETURN(NameAttrList function, Function(proto.func()));
      return AttrValue(std::move(function));
    }
    return List(proto);
  }

  Result<NameAttrList> Function(const NameAttrListProto& proto) {
    if (++function_depth_ > kMostNestedMessages) {
      return InvalidArgument("functions are nested more than " +
                             std::to_string(kMostNestedMessages) + " deep in one another's attrs");
    }
    NameAttrList function;
    function.name = proto.name();
    for (const auto& [name, value] : proto.attr()) {
      TAGFLOW_ASSIGN_OR_RETURN(AttrValue attr, Attr(value));
      function.attrs.emplace_back(name, std::move(attr));
    }
    std::sort(function.attrs.begin(), function.attrs.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    --function_depth_;
    return function;
  }

  Result<AttrValue> List(const AttrValueProto& proto) {
    const AttrValueProto::ListValue& from = proto.list();
    AttrList list;
    list.strings.assign(from.s().begin(), from.s().end());
    list.ints.assign(from.i().begin(), from.i().end());
    list.floats.assign(from.f().begin(), from.f().end());
    list.bools.assign(from.b().begin(), from.b().end());
    for (int number : from.type()) {
      const auto type = TypeFromProto(number);
      if (!type.has_value()) return Opaque(proto);
      list.types.push_back(*type);
    }
    for (const TensorShapeProto& shape : from.shape()) {
      TAGFLOW_ASSIGN_OR_RETURN(PartialShape native, ShapeFromProto(shape));
      list.shapes.push_back(std::move(native));
    }
    for (const TensorProto& tensor : from.tensor()) {
      if (!HoldsTensor(tensor)) return Opaque(proto);
      TAGFLOW_ASSIGN_OR_RETURN(Tensor native, TensorFromProto(tensor, budget_));
      list.tensors.push_back(std::move(native));
    }
    for (const NameAttrListProto& function : from.func()) {
      TAGFLOW_ASSIGN_OR_RETURN(NameAttrList native, Function(function));
      list.functions.push_back(std::make_shared<const NameAttrList>(std::move(native)));
    }
    return AttrValue(std::move(list));
  }

  const bool is_read_;
  TensorBudget& budget_;
  int function_depth_ = 0;
};

// One overload per alternative of AttrValue::Value.
struct Writer {
  TensorForm form;
  AttrValueProto& proto;

  Status operator()(std::monostate) { return Status(); }
  Status operator()(int64_t value) {
    return Done([&] { proto.set_i(value); });
  }
  Status operator()(float value) {
    return Done([&] { proto.set_f(value); });
  }
  Status operator()(bool value) {
    return Done([&] { proto.set_b(value); });
  }
  Status operator()(ArgType value) {
    return Done([&] { proto.set_type(TypeToProto(value)); });
  }
  Status operator()(const std::string& value) {
    return Done([&] { proto.set_s(value); });
  }
  Status operator()(const AttrPlaceholder& value) {
    return Done([&] { proto.set_placeholder(value.name); });
  }
  Status operator()(const PartialShape& value) {
    return Done([&] { ShapeToProto(value, *proto.mutable_shape()); });
  }
  Status operator()(const Tensor& value) {
    return TensorToProto(value, form, *proto.mutable_tensor());
  }
  Status operator()(const OpaqueAttr& value) {
    return ParseBinary(value.bytes, "an attr kept as bytes", proto);
  }
  Status operator()(const std::shared_ptr<const NameAttrList>& value) {
    return Function(*value, *proto.mutable_func());
  }
  Status operator()(const std::shared_ptr<const AttrList>& value) {
    AttrValueProto::ListValue& list = *proto.mutable_list();
    for (const std::string& item : value->strings) list.add_s(item);
    for (int64_t item : value->ints) list.add_i(item);
    for (float item : value->floats) list.add_f(item);
    for (bool item : value->bools) list.add_b(item);
    for (ArgType item : value->types) list.add_type(TypeToProto(item));
    for (const PartialShape& item : value->shapes) ShapeToProto(item, *list.add_shape());
    for (const Tensor& item : value->tensors) {
      TAGFLOW_RETURN_IF_ERROR(TensorToProto(item, form, *list.add_tensor()));
    }
    for (const auto& item : value->functions) {
      TAGFLOW_RETURN_IF_ERROR(Function(*item, *list.add_func()));
    }
    return Status();
  }

 private:
  static Status Done(auto&& write) {
    write();
    return Status();
  }
  Status Function(const NameAttrList& function, NameAttrListProto& to) {
    to.set_name(function.name);
    return AttrsToProto(function.attrs, form, *to.mutable_attr());
  }
};

}  // namespace

Result<AttrValue> AttrFromProto(const AttrValueProto& proto, bool is_read, TensorBudget& budget) {
  return Reader(is_read, budget).Attr(proto);
}

Status AttrToProto(const AttrValue& attr, TensorForm form, AttrValueProto& proto) {
  proto.Clear();
  return std::visit(Writer{form, proto}, attr.value());
}

Status AttrsToProto(const AttrMap& attrs, TensorForm form, AttrMapProto& proto) {
  for (const auto& [name, value] : attrs) {
    const Status status = AttrToProto(value, form, proto[name]);
    if (!status.ok()) {
      return Status(status.code(), "attr '" + name + "': " + status.message());
    }
  }
  return Status();
}

}  // namespace tagflow
