#include "graph/call_checks.h"

#include <unordered_set>

#include "graph/device_name.h"
#include "graph/feed_set.h"

namespace tagflow {
namespace {

std::string AttrText(const Node& node, const char* name, const char* absent) {
  const AttrValue* value = FindAttr(node, name);
  return value == nullptr ? absent : value->ToString();
}

}  // namespace

Status CheckFeed(const Graph& graph, OutputRef output, const std::string& name,
                 const Tensor& value) {
  const Node& node = graph.node(output.node);
  // Of an op nobody defined any output may be fed, with anything ([graph.1]).
  const Result<Signature> signature = ResolveSignature(node);
  if (!signature.ok()) return Status();
  const DType expected = signature->outputs[static_cast<size_t>(output.index)].dtype;
  if (value.dtype() != expected) {
    return InvalidArgument("feed '" + name + "' is " + DTypeName(value.dtype()) +
                           ", the graph wants " + DTypeName(expected))
        .WithNode(node.name);
  }
  if (!IsPlaceholderOp(node)) return Status();
  const AttrValue* shape = FindAttr(node, "shape");
  if (shape == nullptr || shape->Get<PartialShape>() == nullptr) return Status();
  const PartialShape& wanted = *shape->Get<PartialShape>();
  // Import gives such a placeholder of a file an unknown shape (graph/io/import.cc); a graph that
  // was built and names no producer is old in the same way.
  const bool says_nothing = node.op == "Placeholder" && wanted.known_rank() && wanted.rank() == 0 &&
                            graph.versions.producer <= 21;
  if (says_nothing || wanted.Accepts(value.dims())) return Status();
  return InvalidArgument("feed '" + name + "' has shape " + DimsString(value.dims()) +
                         ", the placeholder wants " + wanted.ToString())
      .WithNode(node.name);
}

Status CheckPlaceholdersFed(const Graph& graph, const CallSpec& call,
                            const std::vector<bool>& needed) {
  const FeedSet fed(graph, call.feeds);
  std::string missing;
  std::string first;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const Node& node = graph.node(static_cast<NodeId>(i));
    if (!IsPlaceholderOp(node) || node.op == "PlaceholderWithDefault") continue;
    if (fed.Contains({node.id, 0})) continue;
    if (first.empty()) first = node.name;
    missing += (missing.empty() ? "'" : ", '") + node.name + "' (" + AttrText(node, "dtype", "?") +
               " " + AttrText(node, "shape", "any shape") + ")";
  }
  if (missing.empty()) return Status();
  return InvalidArgument("You must feed a value for placeholder tensor " + missing).WithNode(first);
}

Status CheckDevices(const Graph& graph, const CallSpec& call, const std::vector<bool>& needed,
                    const std::vector<std::string>& offered) {
  if (offered.empty()) return Status();
  const FeedSet fed(graph, call.feeds);
  std::unordered_set<std::string> checked;
  for (size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    const Node& node = graph.node(static_cast<NodeId>(i));
    if (fed.IsFedPlaceholder(node) || !checked.insert(node.device).second) continue;
    TAGFLOW_RETURN_IF_ERROR(
        CheckDeviceIsThere(node.device, offered).WithNode(node.name).WithRule("graph.4"));
  }
  return Status();
}

}  // namespace tagflow
