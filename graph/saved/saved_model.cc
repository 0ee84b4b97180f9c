#include "graph/saved/saved_model.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "graph/io/file_kind.h"
#include "graph/io/import.h"
#include "graph/io/parse.h"
#include "graph/saved/saved_model.pb.h"

namespace tagflow {
namespace {

constexpr char kServe[] = "serve";
// The signature, and its only output, that name what initializes a model of TensorFlow 2.
constexpr char kInitOp[] = "__saved_model_init_op";

std::string TagsText(const MetaGraphDef& graph) {
  std::string text;
  for (const std::string& tag : graph.meta_info_def().tags())
    text += (text.empty() ? "" : ",") + tag;
  return "'" + text + "'";
}

bool HasTags(const MetaGraphDef& graph, std::vector<std::string> tags) {
  std::vector<std::string> there(graph.meta_info_def().tags().begin(),
                                 graph.meta_info_def().tags().end());
  std::ranges::sort(there);
  std::ranges::sort(tags);
  return there == tags;
}

Result<const MetaGraphDef*> Choose(const SavedModel& model, const std::vector<std::string>& tags,
                                   const std::string& folder) {
  if (tags.empty() && model.meta_graphs_size() == 1) return &model.meta_graphs(0);
  const std::vector<std::string> wanted = tags.empty() ? std::vector<std::string>{kServe} : tags;
  std::string there;
  for (const MetaGraphDef& graph : model.meta_graphs()) {
    if (HasTags(graph, wanted)) return &graph;
    there += (there.empty() ? "" : ", ") + TagsText(graph);
  }
  std::string text;
  for (const std::string& tag : wanted) text += (text.empty() ? "" : ",") + tag;
  return NotFound(folder + " has no graph with the tags '" + text + "'; it has " +
                  (there.empty() ? "none" : there));
}

// "name" of the tensor "name:0", as a target.
std::string NodeOf(const std::string& tensor) { return tensor.substr(0, tensor.find(':')); }

ModelSignature SignatureOf(const SignatureDef& from) {
  ModelSignature signature;
  for (const auto& [name, info] : from.inputs()) signature.inputs[name] = info.name();
  for (const auto& [name, info] : from.outputs()) signature.outputs[name] = info.name();
  return signature;
}

// Whether a path that a file names stays in the folder that it is in.
bool StaysInside(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && !path.is_absolute() &&
         std::ranges::none_of(path, [](const auto& part) { return part == ".."; });
}

using Feeds = std::vector<std::pair<std::string, Tensor>>;

Result<Feeds> AssetFeeds(const MetaGraphDef& graph, const std::string& folder) {
  Feeds feeds;
  for (const AssetFileDef& asset : graph.asset_file_def()) {
    if (!StaysInside(asset.filename())) {
      return InvalidArgument(folder + ": the asset '" + asset.filename() +
                             "' is not in the model's folder");
    }
    feeds.emplace_back(asset.tensor_info().name(),
                       Tensor::Scalar<std::string>(folder + "/assets/" + asset.filename()));
  }
  return feeds;
}

// The node that makes tables ready; "" where there is none.
std::string InitOpOf(const MetaGraphDef& graph) {
  if (const auto found = graph.signature_def().find(kInitOp);
      found != graph.signature_def().end()) {
    const auto output = found->second.outputs().find(kInitOp);
    if (output != found->second.outputs().end()) return NodeOf(output->second.name());
  }
  for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
    const auto found = graph.collection_def().find(collection);
    if (found == graph.collection_def().end() || !found->second.has_node_list()) continue;
    if (found->second.node_list().value_size() > 0) {
      return NodeOf(found->second.node_list().value(0));
    }
  }
  return "";
}

Result<std::vector<ModelInit>> InitOf(const MetaGraphDef& graph, const std::string& folder) {
  std::vector<ModelInit> init;
  TAGFLOW_ASSIGN_OR_RETURN(const Feeds assets, AssetFeeds(graph, folder));
  const std::string variables = folder + "/variables/variables";
  const SaverDef& saver = graph.saver_def();
  if (!saver.restore_op_name().empty() && std::filesystem::exists(variables + ".index")) {
    ModelInit restore = {assets, NodeOf(saver.restore_op_name())};
    restore.feeds.emplace_back(saver.filename_tensor_name(),
                               Tensor::Scalar<std::string>(variables));
    init.push_back(std::move(restore));
  }
  if (std::string op = InitOpOf(graph); !op.empty()) init.push_back({assets, std::move(op)});
  return init;
}

Result<SavedModelGraph> GraphOf(const MetaGraphDef& from, const SavedModelOptions& options) {
  SavedModelGraph model;
  TAGFLOW_ASSIGN_OR_RETURN(model.graph,
                           ImportGraph(from.graph_def(), {.registry = options.registry}));
  for (const auto& [name, signature] : from.signature_def()) {
    if (name != kInitOp) model.signatures[name] = SignatureOf(signature);
  }
  return model;
}

}  // namespace

bool IsSavedModel(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(path + "/saved_model.pb", none);
}

bool IsMetaGraph(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return false;
  const Result<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return false;
  const std::optional<FileKind> kind = OtherKindOf(*bytes);
  return kind.has_value() && kind->is_meta_graph;
}

Result<SavedModelGraph> LoadSavedModel(const std::string& folder,
                                       const SavedModelOptions& options) {
  const std::string path = folder + "/saved_model.pb";
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  SavedModel model;
  TAGFLOW_RETURN_IF_ERROR(ParseMessage(bytes, path, model));
  TAGFLOW_ASSIGN_OR_RETURN(const MetaGraphDef* const chosen, Choose(model, options.tags, folder));
  TAGFLOW_ASSIGN_OR_RETURN(SavedModelGraph made, GraphOf(*chosen, options));
  TAGFLOW_ASSIGN_OR_RETURN(made.init, InitOf(*chosen, folder));
  return made;
}

Result<SavedModelGraph> ReadMetaGraph(const std::string& path, const SavedModelOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  MetaGraphDef graph;
  TAGFLOW_RETURN_IF_ERROR(ParseMessage(bytes, path, graph));
  return GraphOf(graph, options);
}

}  // namespace tagflow
