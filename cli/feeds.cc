#include "cli/feeds.h"

#include <optional>

#include "cli/array_file.h"
#include "cli/widen.h"
#include "graph/literal.h"

namespace tagflow::cli {
namespace {

// Nothing for an op that is not defined: its output may be anything.
std::optional<DType> DTypeInGraph(const Graph& graph, OutputRef output) {
  const Result<Signature> signature = ResolveSignature(graph.node(output.node));
  if (!signature.ok()) return std::nullopt;
  return signature->outputs[static_cast<size_t>(output.index)].dtype;
}

Result<Tensor> ParseValue(std::string_view value, std::optional<DType> dtype) {
  const std::optional<ArrayName> file = AsArrayFile(value);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor,
                           file.has_value() ? ReadArray(*file) : ParseLiteral(value, dtype));
  if (!dtype.has_value() || tensor.dtype() == *dtype) return tensor;
  // Who writes "float:" in front of a literal wants that and nothing else: the call says no.
  if (!file.has_value() && !IsPrinted(value)) return tensor;
  Result<Tensor> widened = Widened(tensor, *dtype);
  if (widened.ok()) return widened;
  return InvalidArgument("'" + std::string(value) + "' holds " + DTypeName(tensor.dtype()) +
                         ", and the graph wants " + DTypeName(*dtype) + ": " +
                         widened.status().message() +
                         (file.has_value() ? "; save the array with that dtype" : ""));
}

}  // namespace

Result<std::pair<std::string, Tensor>> ParseFeed(const Graph& graph, std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == word.npos || equals == 0) {
    return InvalidArgument("--feed takes NAME=VALUE, not '" + std::string(word) + "'");
  }
  const std::string name(word.substr(0, equals));
  auto in_feed = [&name](const Status& status) {
    return Status(status.code(), "feed '" + name + "': " + status.message())
        .WithNode(status.node());
  };
  const Result<OutputRef> output = FindOutput(graph, name);
  if (!output.ok()) return in_feed(output.status());
  Result<Tensor> value = ParseValue(word.substr(equals + 1), DTypeInGraph(graph, *output));
  if (!value.ok()) return in_feed(value.status().WithNode(graph.node(output->node).name));
  return std::pair(name, *std::move(value));
}

}  // namespace tagflow::cli
