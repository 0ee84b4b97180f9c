// Tested by conformance/ops/string.ops.

#include "reference/kernels/string_util.h"

#include <utility>

namespace tagflow::reference {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

Result<bool> CountsCharacters(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string unit, StringAttr(node, "unit"));
  return unit == "UTF8_CHAR";
}

std::string Joined(const std::vector<std::string_view>& texts, std::string_view separator) {
  std::string joined;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) joined += separator;
    joined += texts[i];
  }
  return joined;
}

Result<Tensor> TextTensor(DimsView dims, std::vector<std::string> texts) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kString, dims));
  auto elements = tensor.mutable_flat<std::string>();
  for (size_t i = 0; i < texts.size(); ++i) elements[i] = std::move(texts[i]);
  return tensor;
}

Status ChangeEach(KernelContext& context,
                  const std::function<Result<std::string>(const std::string&)>& change) {
  const Tensor& input = context.inputs[0];
  std::vector<std::string> changed;
  for (const std::string& text : input.flat<std::string>()) {
    TAGFLOW_ASSIGN_OR_RETURN(std::string result, change(text));
    changed.push_back(std::move(result));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(input.dims(), std::move(changed)));
  return Status();
}

}  // namespace tagflow::reference
