// Ops that look for regular expressions in texts: RegexFullMatch, RegexReplace. What a pattern
// means, and how large it may be, is what RE2 says.

#include <re2/re2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"

namespace tagflow::reference {
namespace {

//   Errors: INVALID_ARGUMENT for a pattern that cannot be read, or takes too much memory
Result<std::unique_ptr<const RE2>> Compiled(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<const RE2>(pattern, options);
  if (compiled->ok()) return compiled;
  return InvalidArgument("Invalid pattern: " + pattern + ", error: " + compiled->error());
}

// Input i, the only text of a tensor.
//   Errors: of RequireScalar
Result<std::string> ScalarText(const KernelContext& context, size_t i, std::string_view what) {
  TAGFLOW_RETURN_IF_ERROR(RequireScalar(context.inputs[i], what));
  return context.inputs[i].scalar<std::string>();
}

// A rewrite that names a group which the pattern does not have changes nothing.
Status Replace(KernelContext& context, const std::string& pattern, const std::string& rewrite) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool everywhere, BoolAttr(context.node, "replace_global"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto regex, Compiled(pattern));
  return ChangeEach(context, [&](std::string text) {
    if (everywhere) {
      RE2::GlobalReplace(&text, *regex, rewrite);
    } else {
      RE2::Replace(&text, *regex, rewrite);
    }
    return text;
  });
}

//   input: texts; pattern, rewrite: scalars;  output: the texts, rewritten where the pattern
//   matches
Status RegexReplace(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string pattern, ScalarText(context, 1, "pattern"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string rewrite, ScalarText(context, 2, "rewrite"));
  return Replace(context, pattern, rewrite);
}

Status StaticRegexReplace(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string pattern, StringAttr(context.node, "pattern"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string rewrite, StringAttr(context.node, "rewrite"));
  return Replace(context, pattern, rewrite);
}

Status FullMatch(KernelContext& context, const std::string& pattern) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto regex, Compiled(pattern));
  const Tensor& texts = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(DType::kBool, texts.dims()));
  bool* matches = context.outputs[0].mutable_data<bool>();
  for (const std::string& text : texts.flat<std::string>()) {
    *matches++ = RE2::FullMatch(text, *regex);
  }
  return Status();
}

//   input: texts; pattern: a scalar;  output: bool, whether the pattern matches the whole text
Status RegexFullMatch(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string pattern, ScalarText(context, 1, "pattern"));
  return FullMatch(context, pattern);
}

Status StaticRegexFullMatch(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string pattern, StringAttr(context.node, "pattern"));
  return FullMatch(context, pattern);
}

}  // namespace

Status RegisterRegexKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RegexReplace", RegexReplace},
                                {"StaticRegexReplace", StaticRegexReplace},
                                {"RegexFullMatch", RegexFullMatch},
                                {"StaticRegexFullMatch", StaticRegexFullMatch}});
}

}  // namespace tagflow::reference
