#include "graph/ops/shape_case.h"

#include <algorithm>
#include <sstream>

#include "graph/graph.h"
#include "graph/shape_inference.h"

namespace tagflow {
namespace {

// The numbers of "[1,?]"; "?" is -1.
Dims ParseDims(const std::string& text) {
  Dims dims;
  std::istringstream words(text.substr(1, text.size() - 2));
  for (std::string word; std::getline(words, word, ',');) {
    dims.push_back(word == "?" ? -1 : std::stoll(word));
  }
  return dims;
}

template <typename T>
Tensor IntTensor(const std::string& text) {
  if (text[0] != '[') return Tensor::Scalar<T>(static_cast<T>(std::stoll(text)));
  const Dims values = ParseDims(text);
  return Tensor::Vector<T>(std::vector<T>(values.begin(), values.end()));
}

Tensor Constant(const std::string& text, DType dtype) {
  if (dtype == DType::kInt64) return IntTensor<int64_t>(text);
  TAGFLOW_CHECK(dtype == DType::kInt32);
  return IntTensor<int32_t>(text);
}

// Float, or int32 where float is not allowed.
DType TypeFor(const AttrDef& attr) {
  const auto& allowed = attr.allowed_types;
  if (allowed.empty() || std::ranges::find(allowed, DType::kFloat) != allowed.end()) {
    return DType::kFloat;
  }
  return DType::kInt32;
}

void FillTypeAttrs(Graph& graph, NodeId id, size_t num_inputs) {
  const Node& node = graph.node(id);
  for (const AttrDef& attr : node.def->attrs) {
    if (FindAttr(node, attr.name) != nullptr) continue;
    if (attr.kind == AttrKind::kType) {
      graph.SetAttr(id, attr.name, TypeFor(attr));
    } else if (attr.kind == AttrKind::kListType) {
      AttrList list;
      list.types.assign(num_inputs, ArgType{DType::kFloat, false});
      graph.SetAttr(id, attr.name, std::move(list));
    } else if (attr.name == "N") {
      // All inputs but those that are declared beside the N of them.
      size_t single = 0;
      size_t repeated = 0;
      for (const ArgDef& arg : node.def->inputs) (arg.number_attr.empty() ? single : repeated)++;
      graph.SetAttr(id, "N", static_cast<int64_t>((num_inputs - single) / repeated));
    }
  }
}

}  // namespace

std::string ShapesOf(std::string_view op,
                     std::initializer_list<std::pair<std::string, AttrValue>> attrs,
                     const std::vector<std::string>& inputs) {
  Graph graph;
  const NodeId id = *graph.AddNode("node", op);
  for (const auto& [name, value] : attrs) graph.SetAttr(id, name, value);
  FillTypeAttrs(graph, id, inputs.size());
  const Result<Signature> signature = ResolveSignature(graph.node(id));
  if (!signature.ok()) return "error: " + signature.status().message();
  TAGFLOW_CHECK(signature->inputs.size() == inputs.size());
  std::vector<PartialShape> shapes(inputs.size());
  std::vector<std::optional<Tensor>> constants(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i][0] == '=') {
      constants[i] = Constant(inputs[i].substr(1), signature->inputs[i].dtype);
    } else if (inputs[i][0] == '[') {
      shapes[i] = PartialShape(ParseDims(inputs[i]));
    }
  }
  const auto outputs = InferNodeShapes(graph.node(id), signature->outputs.size(), std::move(shapes),
                                       std::move(constants));
  if (!outputs.ok()) return "error: " + outputs.status().message();
  std::string text;
  for (const PartialShape& shape : *outputs) text += (text.empty() ? "" : " ") + shape.ToString();
  return text;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tagflow
