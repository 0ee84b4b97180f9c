#include "graph/test_graph.h"

#include <charconv>
#include <sstream>
#include <utility>

namespace tagflow {
namespace {

OpRegistry* MakeTestOps() {
  auto* ops = new OpRegistry;
  auto add = [ops](const OpDefBuilder& op) { TAGFLOW_CHECK(ops->Register(op).ok()); };
  auto unary = [](std::string_view name) {
    OpDefBuilder op(name);
    op.Input("x: T").Output("y: T").Attr("T: type");
    return op;
  };
  auto enter = [](OpDefBuilder op) {
    op.Attr("T: type").Attr("frame_name: string").Attr("is_constant: bool = false");
    return op.Attr("parallel_iterations: int = 10");
  };
  add(OpDefBuilder("NoOp"));
  add(OpDefBuilder("Const").Output("y: T").Attr("T: type"));
  add(OpDefBuilder("Placeholder").Output("y: T").Attr("T: type"));
  add(unary("PlaceholderWithDefault"));
  for (std::string_view name : {"Identity", "Neg", "Exit", "NextIteration"}) add(unary(name));
  add(OpDefBuilder("Add").Input("a: T").Input("b: T").Output("y: T").Attr("T: type"));
  add(OpDefBuilder("Less").Input("a: T").Input("b: T").Output("y: bool").Attr("T: type"));
  add(OpDefBuilder("LoopCond").Input("x: bool").Output("y: bool"));
  add(OpDefBuilder("Switch")
          .Input("data: T")
          .Input("pred: bool")
          .Output("f: T")
          .Output("t: T")
          .Attr("T: type"));
  add(OpDefBuilder("Merge")
          .Input("inputs: N * T")
          .Output("y: T")
          .Output("value_index: int32")
          .Attr("T: type")
          .Attr("N: int >= 1"));
  add(enter(OpDefBuilder("Enter").Input("x: T").Output("y: T")));
  add(enter(OpDefBuilder("RefEnter").Input("x: Ref(T)").Output("y: Ref(T)")));
  add(OpDefBuilder("Variable").Output("ref: Ref(T)").Attr("T: type"));
  add(OpDefBuilder("Assign")
          .Input("ref: Ref(T)")
          .Input("x: T")
          .Output("y: Ref(T)")
          .Attr("T: type"));
  return ops;
}

// "[]", "[2,3]"
PartialShape ShapeOf(const std::string& text) {
  Dims dims;
  std::istringstream rest(text.substr(1));
  for (std::string dim; std::getline(rest, dim, ',') && dim != "]";) {
    dims.push_back(std::stoll(dim));
  }
  return PartialShape(std::move(dims));
}

AttrValue ValueOf(const std::string& text) {
  if (const auto dtype = DTypeFromName(text)) return *dtype;
  if (text == "true" || text == "false") return text == "true";
  if (text.starts_with('[')) return ShapeOf(text);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

bool Declares(const Node& node, std::string_view attr) {
  return node.def != nullptr && node.def->FindAttr(attr) != nullptr;
}

// The int that a Const's line gave, as a scalar of the Const's dtype.
AttrValue ScalarOf(const Node& node) {
  const int64_t value = *IntAttr(node, "value");
  switch (*TypeAttr(node, "dtype")) {
    case DType::kBool:
      return Tensor::Scalar<bool>(value != 0);
    case DType::kInt32:
      return Tensor::Scalar<int32_t>(static_cast<int32_t>(value));
    case DType::kDouble:
      return Tensor::Scalar<double>(static_cast<double>(value));
    default:
      return Tensor::Scalar<float>(static_cast<float>(value));
  }
}

std::string Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

}  // namespace

const OpRegistry& TestOps() {
  static const OpRegistry* const ops = MakeTestOps();
  return *ops;
}

TestGraph::TestGraph(std::string_view text, const OpRegistry& ops) : graph_(ops) {
  for (const bool connect : {false, true}) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      if (!Trim(line).empty()) AddLine(line, connect);
    }
  }
}

void TestGraph::AddLine(std::string_view line, bool connect) {
  const size_t equals = line.find('=');
  const size_t open = line.find('(', equals);
  const size_t close = line.find(')', open);
  TAGFLOW_CHECK(close != std::string_view::npos);
  const std::string name = Trim(line.substr(0, equals));
  const std::string op = Trim(line.substr(equals + 1, open - equals - 1));
  if (!connect) {
    TAGFLOW_CHECK(graph_.AddNode(name, op).ok());
    return;
  }
  Node& node = graph_.mutable_node(id(name));
  std::istringstream inputs{std::string(line.substr(open + 1, close - open - 1))};
  for (std::string input; std::getline(inputs, input, ',');) {
    input = Trim(input);
    const TensorName parsed = *ParseTensorName(input);
    const NodeId from = id(parsed.node);
    if (parsed.index == TensorName::kControl) {
      node.control_inputs.push_back(from);
    } else {
      node.inputs.push_back({from, parsed.index});
    }
  }
  if (Declares(node, "T")) graph_.SetAttr(node.id, "T", DType::kFloat);
  if (Declares(node, "N")) graph_.SetAttr(node.id, "N", static_cast<int64_t>(node.inputs.size()));
  std::istringstream attrs{std::string(line.substr(close + 1))};
  for (std::string attr; attrs >> attr;) {
    const size_t at = attr.find('=');
    graph_.SetAttr(node.id, attr.substr(0, at), ValueOf(attr.substr(at + 1)));
  }
  if (Declares(node, "shape") && FindAttr(node, "shape") == nullptr) {
    graph_.SetAttr(node.id, "shape", PartialShape());
  }
  if (Declares(node, "value")) graph_.SetAttr(node.id, "value", ScalarOf(node));
}

NodeId TestGraph::id(std::string_view name) const {
  const NodeId id = graph_.Find(name);
  TAGFLOW_CHECK(id != NodeId::kNone);
  return id;
}

CallSpec TestGraph::Call(const std::vector<std::string>& feeds,
                         const std::vector<std::string>& fetches,
                         const std::vector<std::string>& targets) const {
  Result<CallSpec> call = ResolveCall(graph_, feeds, fetches, targets);
  TAGFLOW_CHECK(call.ok());
  return *std::move(call);
}

}  // namespace tagflow
