#include "cli/model_call.h"

#include <sstream>

namespace tagflow::cli {
namespace {

constexpr char kServing[] = "serving_default";

}  // namespace

Result<NamedSignature> SignatureOf(const SavedModelGraph& model, const Args& args) {
  const bool is_asked_for = args.Has("--signature");
  const std::string name = is_asked_for ? args.Last("--signature") : kServing;
  const auto found = model.signatures.find(name);
  if (found != model.signatures.end()) return NamedSignature{name, found->second};
  if (!is_asked_for) return NamedSignature();
  std::string there;
  for (const auto& [other, signature] : model.signatures) {
    there += (there.empty() ? "'" : ", '") + other + "'";
  }
  return NotFound("the model has no signature '" + name + "'; it has " +
                  (there.empty() ? "none" : there));
}

std::string TensorOf(const std::map<std::string, std::string>& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

Result<ModelCall> CallOf(const SavedModelGraph& model, const Args& args) {
  TAGFLOW_ASSIGN_OR_RETURN(const NamedSignature named, SignatureOf(model, args));
  const ModelSignature& signature = named.signature;
  ModelCall call;
  for (const std::string& word : args.All("--feed")) {
    const std::string name = word.substr(0, word.find('='));
    call.feeds.push_back(TensorOf(signature.inputs, name) + word.substr(name.size()));
  }
  call.labels = args.All("--fetch");
  if (call.labels.empty() && args.All("--target").empty()) {
    for (const auto& [name, tensor] : signature.outputs) call.labels.push_back(name);
  }
  for (const std::string& label : call.labels) {
    call.fetches.push_back(TensorOf(signature.outputs, label));
  }
  return call;
}

std::vector<std::string> TagsOf(const Args& args) {
  std::vector<std::string> tags;
  for (const std::string& word : args.All("--tags")) {
    std::istringstream list(word);
    for (std::string tag; std::getline(list, tag, ',');) tags.push_back(tag);
  }
  return tags;
}

}  // namespace tagflow::cli
