#include <map>
#include <string_view>

#include "c/handles.h"
#include "graph/io/import.h"

namespace tagflow::c {
namespace {

// The model's ops are those of the library, which from now on takes no more.
Result<std::shared_ptr<Model>> NewModel(const tagflow_load_options& options) {
  auto model = std::make_shared<Model>();
  if (options.library != nullptr) {
    model->library = options.library->library;
    model->library->is_fixed = true;
  }
  return model;
}

const OpRegistry* OpsOf(const Model& model) {
  return model.library == nullptr ? &OpRegistry::Standard() : &model.library->ops;
}

Result<const char*> FindName(const std::map<std::string, std::string>& names,
                             const std::string& name, const std::string& signature) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second.c_str();
  std::string message = "signature '" + signature + "' has no '" + name + "'; it has:";
  for (const auto& [known, tensor] : names) message += " " + known;
  return NotFound(message);
}

Result<const ModelSignature*> FindSignature(const Model& model, const std::string& name) {
  const auto found = model.graph.signatures.find(name);
  if (found != model.graph.signatures.end()) return &found->second;
  std::string message = "the graph has no signature '" + name + "'; it has:";
  for (const auto& [known, signature] : model.graph.signatures) message += " " + known;
  return NotFound(message);
}

}  // namespace
}  // namespace tagflow::c

using tagflow::Graph;
using tagflow::Result;
using tagflow::Status;
using tagflow::c::Guard;
using tagflow::c::Model;

tagflow_error* tagflow_graph_load(const char* path, const tagflow_load_options* options,
                                  tagflow_graph** graph) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto all, tagflow::c::Options(options, "tagflow_load_options"));
    TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, tagflow::c::NewModel(all));
    TAGFLOW_ASSIGN_OR_RETURN(model->graph,
                             tagflow::ReadModel(path, {tagflow::c::Texts(all.tags, all.num_tags),
                                                       tagflow::c::OpsOf(*model)}));
    *graph = new tagflow_graph{model};
    return Status();
  });
}

tagflow_error* tagflow_graph_parse(const void* bytes, size_t size,
                                   const tagflow_load_options* options, tagflow_graph** graph) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto all, tagflow::c::Options(options, "tagflow_load_options"));
    TAGFLOW_ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, tagflow::c::NewModel(all));
    const std::string_view content(static_cast<const char*>(bytes), size);
    TAGFLOW_ASSIGN_OR_RETURN(
        model->graph.graph,
        tagflow::ImportGraphFromBytes(content, {.registry = tagflow::c::OpsOf(*model)}));
    *graph = new tagflow_graph{model};
    return Status();
  });
}

void tagflow_graph_free(tagflow_graph* graph) { delete graph; }

size_t tagflow_graph_num_nodes(const tagflow_graph* graph) {
  return graph->model->graph.graph.num_nodes();
}

tagflow_error* tagflow_graph_signature_input(const tagflow_graph* graph, const char* signature,
                                             const char* name, const char** tensor) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto* found,
                             tagflow::c::FindSignature(*graph->model, signature));
    TAGFLOW_ASSIGN_OR_RETURN(*tensor, tagflow::c::FindName(found->inputs, name, signature));
    return Status();
  });
}

tagflow_error* tagflow_graph_signature_output(const tagflow_graph* graph, const char* signature,
                                              const char* name, const char** tensor) {
  return Guard([&]() -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto* found,
                             tagflow::c::FindSignature(*graph->model, signature));
    TAGFLOW_ASSIGN_OR_RETURN(*tensor, tagflow::c::FindName(found->outputs, name, signature));
    return Status();
  });
}
