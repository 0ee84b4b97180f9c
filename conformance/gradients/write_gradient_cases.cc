// Writes the cases of gradient_cases.cc: bazel run //conformance/gradients:write_gradient_cases.
// With an argument, the root of a checkout. A node is one line, so that changes can be read.

#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "conformance/gradients/gradient_cases.h"
#include "graph/io/export.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::conformance {
namespace {

std::string OnOneLine(const google::protobuf::Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return text;
}

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

Result<std::string> TensorText(const Tensor& tensor) {
  TAGFLOW_ASSIGN_OR_RETURN(const TensorProto proto, TensorToProto(tensor, TensorForm::kReadable));
  return OnOneLine(proto);
}

Result<std::string> StepText(const GradientCase& one, const GradientStep& step) {
  std::string text = "\nsteps {\n";
  for (const auto& [name, value] : step.feeds) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string tensor, TensorText(value));
    text += "  feeds { name: " + Quoted(name) + " value { " + tensor + "} }\n";
  }
  for (const std::string& fetch : one.fetches) text += "  fetches: " + Quoted(fetch) + "\n";
  for (const Tensor& value : step.expect) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string tensor, TensorText(value));
    text += "  expect { any_of { " + tensor + "} }\n";
  }
  return text + "}\n";
}

Result<std::string> CaseText(const GradientCase& one) {
  const Scope scope = Scope::Root();
  one.build(scope);
  TAGFLOW_ASSIGN_OR_RETURN(const Graph graph, scope.Finish());
  TAGFLOW_ASSIGN_OR_RETURN(const GraphDef def, ExportGraph(graph, TensorForm::kReadable));
  std::string text = "# Made by //conformance/gradients:write_gradient_cases.\nname: " +
                     Quoted("known_bugs/" + one.name) + "\nabout: " + Quoted(one.about) +
                     "\nrules: [";
  for (size_t i = 0; i < one.rules.size(); ++i) {
    text += (i == 0 ? "" : ", ") + Quoted(one.rules[i]);
  }
  text += "]\n\ngraph {\n";
  for (const NodeDef& node : def.node()) text += "  node { " + OnOneLine(node) + "}\n";
  text += "}\n";
  for (const GradientStep& step : one.steps) {
    TAGFLOW_ASSIGN_OR_RETURN(const std::string part, StepText(one, step));
    text += part;
  }
  return text;
}

int WriteAll(const std::string& folder) {
  for (const GradientCase& one : GradientCases()) {
    const Result<std::string> text = CaseText(one);
    if (!text.ok()) {
      std::cerr << one.name << ": " << text.status().ToString() << "\n";
      return 1;
    }
    const std::string path = folder + "/" + one.name + ".textproto";
    std::ofstream file(path);
    if (!(file << *text).flush()) {
      std::cerr << "cannot write " << path << "\n";
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace tagflow::conformance

int main(int argc, char** argv) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string root = argc > 1 ? argv[1] : workspace == nullptr ? "." : workspace;
  return tagflow::conformance::WriteAll(root + "/conformance/cases/known_bugs");
}
