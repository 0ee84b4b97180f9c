#include "graph/io/function_proto.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/io/attr_proto.h"

namespace tagflow {
namespace {

class Reader {
 public:
  Reader(const FunctionDefProto& proto, const OpRegistry& registry, TensorBudget& budget)
      : proto_(proto), registry_(registry), budget_(budget) {}

  Result<Function> Run() {
    TAGFLOW_RETURN_IF_ERROR(ReadSignature());
    TAGFLOW_RETURN_IF_ERROR(ReadAttrs(proto_.attr(), nullptr, "the function", function_.attrs));
    function_.nodes.reserve(static_cast<size_t>(proto_.node_def_size()));
    for (const NodeDef& node : proto_.node_def()) TAGFLOW_RETURN_IF_ERROR(ReadNode(node));
    TAGFLOW_RETURN_IF_ERROR(ReadReturns());
    return std::move(function_);
  }

 private:
  Status Wrong(const std::string& what) const {
    return InvalidArgument("function '" + proto_.signature().name() + "': " + what);
  }

  Status ReadSignature() {
    const OpDefProto& from = proto_.signature();
    OpDef& op = function_.op;
    op.name = from.name();
    op.is_stateful = from.is_stateful();
    for (const OpDefProto::AttrDef& attr : from.attr()) {
      TAGFLOW_ASSIGN_OR_RETURN(AttrDef made, ReadAttrDef(attr));
      op.attrs.push_back(std::move(made));
    }
    for (const OpDefProto::ArgDef& arg : from.input_arg()) {
      TAGFLOW_ASSIGN_OR_RETURN(ArgDef made, ReadArg(arg));
      op.inputs.push_back(std::move(made));
    }
    for (const OpDefProto::ArgDef& arg : from.output_arg()) {
      TAGFLOW_ASSIGN_OR_RETURN(ArgDef made, ReadArg(arg));
      op.outputs.push_back(std::move(made));
    }
    return Status();
  }

  Result<AttrDef> ReadAttrDef(const OpDefProto::AttrDef& from) {
    AttrDef attr;
    attr.name = from.name();
    bool is_known = false;
    for (int kind = 0; kind <= static_cast<int>(AttrKind::kListFunction); ++kind) {
      if (AttrKindName(static_cast<AttrKind>(kind)) != from.type()) continue;
      attr.kind = static_cast<AttrKind>(kind);
      is_known = true;
    }
    if (!is_known) {
      return Wrong("attr '" + attr.name + "' is of kind '" + from.type() + "', which there is not");
    }
    if (from.has_minimum()) attr.minimum = from.minimum();
    if (!from.has_default_value()) return attr;
    TAGFLOW_ASSIGN_OR_RETURN(attr.default_value,
                             AttrFromProto(from.default_value(), true, budget_));
    return attr;
  }

  Result<ArgDef> ReadArg(const OpDefProto::ArgDef& from) const {
    ArgDef arg;
    arg.name = from.name();
    arg.is_ref = from.is_ref();
    arg.type_attr = from.type_attr();
    arg.type_list_attr = from.type_list_attr();
    arg.number_attr = from.number_attr();
    const int number = from.type();
    if (IsKnownDType(number)) arg.dtype = static_cast<DType>(number);
    const bool has_type =
        arg.dtype != DType::kInvalid || !arg.type_attr.empty() || !arg.type_list_attr.empty();
    if (!has_type) return Wrong("argument '" + arg.name + "' has no type");
    return arg;
  }

  Status ReadAttrs(const AttrMapProto& from, const OpDef* op, const std::string& whose,
                   AttrMap& attrs) {
    for (const auto& [name, value] : from) {
      const bool is_read = op != nullptr && op->FindAttr(name) != nullptr;
      Result<AttrValue> attr = AttrFromProto(value, is_read, budget_);
      if (!attr.ok()) {
        return Status(attr.status().code(), "function '" + function_.op.name + "', " + whose +
                                                ", attr '" + name +
                                                "': " + std::string(attr.status().message()));
      }
      attrs.emplace_back(name, *std::move(attr));
    }
    std::ranges::sort(attrs, {}, &AttrMap::value_type::first);
    return Status();
  }

  Status ReadNode(const NodeDef& from) {
    FunctionNode node;
    node.name = from.name();
    node.op = from.op();
    node.device = from.device();
    node.inputs.assign(from.input().begin(), from.input().end());
    TAGFLOW_RETURN_IF_ERROR(ReadAttrs(from.attr(), registry_.Find(node.op),
                                      "node '" + node.name + "' (op " + node.op + ")", node.attrs));
    function_.nodes.push_back(std::move(node));
    return Status();
  }

  Status ReadReturns() {
    for (const ArgDef& result : function_.op.outputs) {
      const auto found = proto_.ret().find(result.name);
      if (found == proto_.ret().end()) {
        return Wrong("the body gives no '" + result.name + "', which is a result");
      }
      function_.returns.push_back(found->second);
    }
    for (const auto& [name, node] : proto_.control_ret()) {
      function_.control_returns.push_back(node);
    }
    std::ranges::sort(function_.control_returns);
    return Status();
  }

  const FunctionDefProto& proto_;
  const OpRegistry& registry_;
  TensorBudget& budget_;
  Function function_;
};

void WriteArg(const ArgDef& arg, OpDefProto::ArgDef& to) {
  to.set_name(arg.name);
  to.set_is_ref(arg.is_ref);
  to.set_type_attr(arg.type_attr);
  to.set_type_list_attr(arg.type_list_attr);
  to.set_number_attr(arg.number_attr);
  if (arg.dtype != DType::kInvalid) to.set_type(static_cast<DataType>(arg.dtype));
}

Status WriteAttrDef(const AttrDef& attr, TensorForm form, OpDefProto::AttrDef& to) {
  to.set_name(attr.name);
  to.set_type(AttrKindName(attr.kind));
  to.set_has_minimum(attr.minimum.has_value());
  to.set_minimum(attr.minimum.value_or(0));
  if (!attr.default_value.has_value()) return Status();
  return AttrToProto(*attr.default_value, form, *to.mutable_default_value());
}

Status WriteSignature(const Function& function, TensorForm form, OpDefProto& to) {
  const OpDef& op = function.op;
  to.set_name(op.name);
  to.set_is_stateful(op.is_stateful);
  for (const ArgDef& arg : op.inputs) WriteArg(arg, *to.add_input_arg());
  for (const ArgDef& arg : op.outputs) WriteArg(arg, *to.add_output_arg());
  for (const AttrDef& attr : op.attrs) {
    TAGFLOW_RETURN_IF_ERROR(WriteAttrDef(attr, form, *to.add_attr()));
  }
  for (const std::string& node : function.control_returns) to.add_control_output(node);
  return Status();
}

Status WriteNode(const FunctionNode& node, TensorForm form, NodeDef& to) {
  to.set_name(node.name);
  to.set_op(node.op);
  to.set_device(node.device);
  for (const std::string& input : node.inputs) to.add_input(input);
  const Status status = AttrsToProto(node.attrs, form, *to.mutable_attr());
  if (status.ok()) return status;
  return Status(status.code(), "node '" + node.name + "', " + status.message());
}

Status WriteFunction(const Function& function, TensorForm form, FunctionDefProto& to) {
  TAGFLOW_RETURN_IF_ERROR(WriteSignature(function, form, *to.mutable_signature()));
  TAGFLOW_RETURN_IF_ERROR(AttrsToProto(function.attrs, form, *to.mutable_attr()));
  for (const FunctionNode& node : function.nodes) {
    TAGFLOW_RETURN_IF_ERROR(WriteNode(node, form, *to.add_node_def()));
  }
  for (size_t i = 0; i < function.returns.size(); ++i) {
    (*to.mutable_ret())[function.op.outputs[i].name] = function.returns[i];
  }
  for (const std::string& node : function.control_returns) (*to.mutable_control_ret())[node] = node;
  return Status();
}

}  // namespace

Status FunctionToProto(const Function& function, TensorForm form, FunctionDefProto& proto) {
  const Status status = WriteFunction(function, form, proto);
  if (status.ok()) return status;
  return Status(status.code(), "function '" + function.op.name + "': " + status.message());
}

Result<Function> FunctionFromProto(const FunctionDefProto& proto, const OpRegistry& registry,
                                   TensorBudget& budget) {
  return Reader(proto, registry, budget).Run();
}

}  // namespace tagflow
