#ifndef TAGFLOW_CLI_MODEL_CALL_H_
#define TAGFLOW_CLI_MODEL_CALL_H_

// What of a model is fed and fetched, where its signatures have names for it.
//
// Tested by model_call_test.cc.

#include <map>
#include <string>
#include <vector>

#include "conformance/command/args.h"
#include "graph/saved/saved_model.h"
#include "graph/status.h"

namespace tagflow::cli {

struct ModelCall {
  std::vector<std::string> feeds;    // "tensor=value"
  std::vector<std::string> fetches;  // tensors
  std::vector<std::string> labels;   // of the fetches, for users
};

// By --signature, --feed, --fetch and --target. A name that the signature has stands for its
// tensor; all other names are tensors of the graph. Without --signature it is serving_default, if
// there is one; where nothing is to be fetched or run, all that it gives is.
//   Errors: NOT_FOUND for a signature that the model has not, naming those it has
Result<ModelCall> CallOf(const SavedModelGraph& model, const Args& args);

// The signature that --signature names, else serving_default; an empty one, of the name "", where
// none is asked for and none serves.
//   Errors: as CallOf
struct NamedSignature {
  std::string name;
  ModelSignature signature;
};
Result<NamedSignature> SignatureOf(const SavedModelGraph& model, const Args& args);
// The tensor that a signature's name stands for; the name itself where it is none of these.
std::string TensorOf(const std::map<std::string, std::string>& names, const std::string& name);

// By --tags, which of the graphs of a model: "serve,gpu" is two tags of one.
std::vector<std::string> TagsOf(const Args& args);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_MODEL_CALL_H_
