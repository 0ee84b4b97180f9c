// Ops that look for regular expressions in texts: RegexFullMatch, RegexReplace. What a pattern
// means, and how large it may be, is what RE2 says.
//
// To compile a pattern costs far more than to look for it in a short text. One that is an attr is
// compiled when the node is bound. One that is an input is kept for the next firing, which in most
// graphs has the same; firings on other threads share it, since RE2 may be used from several.
//
// Tested by conformance/ops/regex.ops.

#include <re2/re2.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/text.h"

namespace tagflow::optimized {
namespace {

using Regex = std::shared_ptr<const RE2>;

//   Errors: INVALID_ARGUMENT for a pattern that cannot be read, or takes too much memory
Result<Regex> Compile(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  Regex regex = std::make_shared<const RE2>(pattern, options);
  if (regex->ok()) return regex;
  return InvalidArgument("Invalid pattern: " + pattern + ", error: " + regex->error());
}

// The pattern of the last firing.
class LastRegex {
 public:
  //   Errors: of Compile
  Result<Regex> Find(const std::string& pattern) {
    {
      const std::lock_guard lock(mutex_);
      if (last_ != nullptr && last_->pattern() == pattern) return last_;
    }
    TAGFLOW_ASSIGN_OR_RETURN(Regex regex, Compile(pattern));
    const std::lock_guard lock(mutex_);
    last_ = regex;
    return regex;
  }

 private:
  std::mutex mutex_;
  Regex last_;  // guarded by mutex_
};

Status RequireScalarText(const Tensor& tensor, const char* what) {
  if (tensor.rank() == 0) return Status();
  return InvalidArgument(std::string(what) + " must be a scalar, but it has shape " +
                         DimsString(tensor.dims()));
}

// ---- Replacing ----

// A rewrite that names a group which the pattern does not have changes nothing.
Status Replace(KernelContext& context, const RE2& regex, const std::string& rewrite,
               bool everywhere) {
  return ChangeTexts(context, [&](std::string& text) {
    if (everywhere) {
      RE2::GlobalReplace(&text, regex, rewrite);
    } else {
      RE2::Replace(&text, regex, rewrite);
    }
    return Status();
  });
}

//   input: texts; pattern, rewrite: scalars;  output: the texts, rewritten where the pattern
//   matches
Result<BoundKernel> BindReplace(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool everywhere, BoolAttr(binding.node, "replace_global"));
  const auto last = std::make_shared<LastRegex>();
  return BoundKernel([everywhere, last](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(RequireScalarText(context.input(1), "pattern"));
    TAGFLOW_RETURN_IF_ERROR(RequireScalarText(context.input(2), "rewrite"));
    TAGFLOW_ASSIGN_OR_RETURN(const Regex regex, last->Find(context.input(1).scalar<std::string>()));
    // Of its own: the texts may be changed where they are, and the rewrite may be one of them.
    const std::string rewrite = context.input(2).scalar<std::string>();
    return Replace(context, *regex, rewrite, everywhere);
  });
}

Result<BoundKernel> BindStaticReplace(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool everywhere, BoolAttr(binding.node, "replace_global"));
  TAGFLOW_ASSIGN_OR_RETURN(std::string rewrite, StringAttr(binding.node, "rewrite"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string pattern, StringAttr(binding.node, "pattern"));
  TAGFLOW_ASSIGN_OR_RETURN(Regex regex, Compile(pattern));
  return BoundKernel(
      [regex = std::move(regex), rewrite = std::move(rewrite), everywhere](KernelContext& context) {
        return Replace(context, *regex, rewrite, everywhere);
      });
}

// ---- Matching ----

Status Match(KernelContext& context, const RE2& regex) {
  const Tensor& texts = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, DType::kBool, texts.dims()));
  bool* matches = output->mutable_data<bool>();
  for (const std::string& text : texts.flat<std::string>()) {
    *matches++ = regex.Match(text, 0, text.size(), RE2::ANCHOR_BOTH, nullptr, 0);
  }
  return Status();
}

//   input: texts; pattern: a scalar;  output: bool, whether the pattern matches the whole text
Result<BoundKernel> BindMatch(const Binding&) {
  const auto last = std::make_shared<LastRegex>();
  return BoundKernel([last](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(RequireScalarText(context.input(1), "pattern"));
    TAGFLOW_ASSIGN_OR_RETURN(const Regex regex, last->Find(context.input(1).scalar<std::string>()));
    return Match(context, *regex);
  });
}

Result<BoundKernel> BindStaticMatch(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string pattern, StringAttr(binding.node, "pattern"));
  TAGFLOW_ASSIGN_OR_RETURN(Regex regex, Compile(pattern));
  return BoundKernel(
      [regex = std::move(regex)](KernelContext& context) { return Match(context, *regex); });
}

}  // namespace

Status RegisterRegexKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RegexReplace", BindReplace, Cost::kHeavy},
                                {"StaticRegexReplace", BindStaticReplace, Cost::kHeavy},
                                {"RegexFullMatch", BindMatch, Cost::kHeavy},
                                {"StaticRegexFullMatch", BindStaticMatch, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
