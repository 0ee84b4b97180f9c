#include "graph/saved/saved_model.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "graph/io/export.h"
#include "graph/io/file_kind.h"
#include "graph/io/import.h"
#include "graph/io/parse.h"
#include "graph/saved/new_file.h"
#include "graph/saved/saved_model.pb.h"

namespace tagflow {
namespace {

constexpr char kFile[] = "/saved_model.pb";
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

// The number of the graph.
Result<int> Choose(const SavedModel& model, const std::vector<std::string>& tags,
                   const std::string& folder) {
  if (tags.empty() && model.meta_graphs_size() == 1) return 0;
  const std::vector<std::string> wanted = tags.empty() ? std::vector<std::string>{kServe} : tags;
  std::string there;
  for (int i = 0; i < model.meta_graphs_size(); ++i) {
    if (HasTags(model.meta_graphs(i), wanted)) return i;
    there += (there.empty() ? "" : ", ") + TagsText(model.meta_graphs(i));
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

Status ReadModelFile(const std::string& folder, SavedModel& model) {
  const std::string path = folder + kFile;
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  return ParseMessage(bytes, path, model);
}

Status Change(const ModelChange& change, MetaGraphDef& graph) {
  TAGFLOW_ASSIGN_OR_RETURN(*graph.mutable_graph_def(), ExportGraph(change.graph));
  if (change.signature.empty()) return Status();
  const auto found = graph.mutable_signature_def()->find(change.signature);
  if (found == graph.mutable_signature_def()->end()) {
    return NotFound("the model has no signature '" + change.signature + "'");
  }
  for (const auto& [name, tensor] : change.outputs) {
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef output, FindOutput(change.graph, tensor));
    TAGFLOW_ASSIGN_OR_RETURN(const Signature signature,
                             ResolveSignature(change.graph.node(output.node)));
    TensorInfo& info = (*found->second.mutable_outputs())[name];
    info.set_name(change.graph.node(output.node).name + ":" + std::to_string(output.index));
    const DType dtype = signature.outputs[static_cast<size_t>(output.index)].dtype;
    info.set_dtype(static_cast<DataType>(dtype));
    info.mutable_tensor_shape()->set_unknown_rank(true);
  }
  return Status();
}

// All of the folder but the model itself, and its fingerprint, which is that of another model.
void CopyRest(const std::string& from, const std::string& to, std::error_code& error) {
  for (const auto& entry : std::filesystem::directory_iterator(from, error)) {
    const std::filesystem::path name = entry.path().filename();
    if (error || name == "saved_model.pb" || name == "fingerprint.pb") continue;
    std::filesystem::copy(entry.path(), to / name, std::filesystem::copy_options::recursive, error);
    if (error) return;
  }
}

Status WriteFolder(const std::string& from, const std::string& to, const std::string& bytes) {
  std::error_code error;
  std::filesystem::create_directory(to, error);
  if (!error) CopyRest(from, to, error);
  if (error) return FailedPrecondition(to + ": " + error.message());
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<NewFile> file, NewFile::Create(to + kFile));
  TAGFLOW_RETURN_IF_ERROR(file->Append(bytes));
  return file->Commit();
}

}  // namespace

bool IsSavedModel(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(path + kFile, none);
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
  SavedModel model;
  TAGFLOW_RETURN_IF_ERROR(ReadModelFile(folder, model));
  TAGFLOW_ASSIGN_OR_RETURN(const int number, Choose(model, options.tags, folder));
  const MetaGraphDef& chosen = model.meta_graphs(number);
  TAGFLOW_ASSIGN_OR_RETURN(SavedModelGraph made, GraphOf(chosen, options));
  TAGFLOW_ASSIGN_OR_RETURN(made.init, InitOf(chosen, folder));
  return made;
}

Result<SavedModelGraph> ReadMetaGraph(const std::string& path, const SavedModelOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  MetaGraphDef graph;
  TAGFLOW_RETURN_IF_ERROR(ParseMessage(bytes, path, graph));
  return GraphOf(graph, options);
}

Result<SavedModelGraph> ReadModel(const std::string& path, const SavedModelOptions& options) {
  if (IsSavedModel(path)) return LoadSavedModel(path, options);
  Result<Graph> graph = ReadGraphFile(path, {.registry = options.registry});
  if (!graph.ok() && IsMetaGraph(path))
    return ReadMetaGraph(path, {.tags = {}, .registry = options.registry});
  SavedModelGraph model;
  TAGFLOW_ASSIGN_OR_RETURN(model.graph, std::move(graph));
  return model;
}

Status SaveChangedModel(const std::string& from, const std::string& to, const ModelChange& change,
                        const SavedModelOptions& options) {
  std::error_code error;
  if (std::filesystem::exists(to, error)) return AlreadyExists(to + " is there already");
  SavedModel model;
  TAGFLOW_RETURN_IF_ERROR(ReadModelFile(from, model));
  TAGFLOW_ASSIGN_OR_RETURN(const int number, Choose(model, options.tags, from));
  TAGFLOW_RETURN_IF_ERROR(Change(change, *model.mutable_meta_graphs(number)));
  const std::string unfinished = to + ".unfinished";
  std::filesystem::remove_all(unfinished, error);
  const Status written = WriteFolder(from, unfinished, SerializeDeterministic(model));
  if (written.ok()) std::filesystem::rename(unfinished, to, error);
  if (written.ok() && !error) return Status();
  const std::string why = error.message();
  std::filesystem::remove_all(unfinished, error);
  return written.ok() ? FailedPrecondition(to + ": " + why) : written;
}

}  // namespace tagflow
