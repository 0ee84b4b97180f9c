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

// Whichever the path is: the folder of a SavedModel, a MetaGraph, or the file of a graph, which by
// itself has no signatures.
//   Errors: as the above; of what is none of these, as ReadGraphFile
Result<SavedModelGraph> ReadModel(const std::string& path, const SavedModelOptions& options = {});

// Another graph for a model, and what a signature gives besides.
struct ModelChange {
  const Graph& graph;
  std::string signature;                       // one of the model's; "": none changes
  std::map<std::string, std::string> outputs;  // more of it, by their names to users
};

// Makes the folder `to` a copy of a SavedModel, with its variables and assets, in which the graph
// that `options` choose is changed. The folder is there whole or not at all.
//   Errors: ALREADY_EXISTS for a folder that is there; NOT_FOUND for a signature or output that is
//   not; as LoadSavedModel; of the files
Status SaveChangedModel(const std::string& from, const std::string& to, const ModelChange& change,
                        const SavedModelOptions& options = {});

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_SAVED_SAVED_MODEL_H_
