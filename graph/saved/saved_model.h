#ifndef TAGFLOW_GRAPH_SAVED_SAVED_MODEL_H_
#define TAGFLOW_GRAPH_SAVED_SAVED_MODEL_H_

// A SavedModel: a folder with a graph, the names of what it takes and gives, and what makes its
// variables and tables ready. Also a MetaGraph by itself (model.meta).
//
// Tested by saved_model_test.cc.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/op_def.h"

namespace tagflow {

struct ModelSignature {
  std::map<std::string, std::string> inputs;  // by their names to users, the tensors of the graph
  std::map<std::string, std::string> outputs;
};

// A step that is to be run once, before all others: feeds, and the node to run.
struct ModelInit {
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::string target;
};

struct SavedModelGraph {
  Graph graph;
  std::map<std::string, ModelSignature> signatures;
  std::vector<ModelInit> init;  // in this order
};

struct SavedModelOptions {
  // Which of several graphs: the one with these tags. Empty: the one that serves, or the only one.
  std::vector<std::string> tags;
  const OpRegistry* registry = nullptr;  // null: OpRegistry::Standard()
};

// Whether it is a folder that holds a SavedModel.
bool IsSavedModel(const std::string& path);
// Whether the bytes of the file are a MetaGraph.
bool IsMetaGraph(const std::string& path);

//   Errors: NOT_FOUND for tags that no graph has, naming those there are; INVALID_ARGUMENT for
//   names of assets that leave the folder; as ReadGraphFile
Result<SavedModelGraph> LoadSavedModel(const std::string& folder,
                                       const SavedModelOptions& options = {});
// The graph and signatures of a MetaGraph, whose variables are somebody else's to restore.
Result<SavedModelGraph> ReadMetaGraph(const std::string& path,
                                      const SavedModelOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_SAVED_MODEL_H_
