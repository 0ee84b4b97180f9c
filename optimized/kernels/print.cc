// Ops that write to streams and files: Print, PrintV2. A text is written whole, so that those of
// steps that run at the same time do not mix.
// Tested by conformance/ops/string.ops.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/summarize.h"
#include "optimized/resources.h"

namespace tagflow::optimized {
namespace {

Status Write(const std::string& text, std::FILE* file) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (is_written && std::fflush(file) == 0) return Status();
  return Internal(std::string("cannot print: ") + std::strerror(errno));
}

Status AppendTo(const std::string& path, const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ab"),
                                                             &std::fclose);
  if (file != nullptr) return Write(text, file.get());
  const Code code = errno == ENOENT   ? Code::kNotFound
                    : errno == EACCES ? Code::kPermissionDenied
                                      : Code::kUnknown;
  return Status(code, "cannot print to " + path + ": " + std::strerror(errno));
}

//   input: any;  output: input;  data: written to standard error, the first first_n times only
Result<BoundKernel> BindPrint(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string message, StringAttr(binding.node, "message"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t first_n, IntAttr(binding.node, "first_n"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t summarize, IntAttr(binding.node, "summarize"));
  return BoundKernel(
      [message, first_n, summarize, node = binding.node.name](KernelContext& context) -> Status {
        if (first_n >= 0) {
          const auto limit = static_cast<uint64_t>(first_n);
          const auto state = context.session().FindOrCreateState(node);
          if (state->count.load() >= limit || state->count.fetch_add(1) >= limit) {
            context.output(0) = context.Take(0);
            return Status();
          }
        }
        std::string text = message;
        for (int i = 1; i < context.num_inputs(); ++i) {
          text.append("[").append(Summarize(context.input(i), summarize)).append("]");
        }
        context.output(0) = context.Take(0);
        return Write(text + "\n", stderr);
      });
}

// Where PrintV2 writes to: what to call with the text.
using Sink = std::function<Status(const std::string& text)>;

Result<Sink> SinkOf(const std::string& stream) {
  constexpr std::string_view kFile = "file://";
  if (stream.size() > kFile.size() && stream.starts_with(kFile)) {
    return Sink([path = stream.substr(kFile.size())](const std::string& text) {
      return AppendTo(path, text);
    });
  }
  if (stream == "stdout") return Sink([](const std::string& text) { return Write(text, stdout); });
  if (stream == "stderr") return Sink([](const std::string& text) { return Write(text, stderr); });
  for (const std::string level : {"info", "warning", "error"}) {
    if (stream != "log(" + level + ")") continue;
    return Sink(
        [level](const std::string& text) { return Write(level + ": " + text + "\n", stderr); });
  }
  return InvalidArgument("output_stream must be stdout, stderr, log(info), log(warning), " +
                         std::string("log(error) or file:// and a path, not '") + stream + "'");
}

//   input: scalar, written with the attr `end` to output_stream
Result<BoundKernel> BindPrintV2(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string stream, StringAttr(binding.node, "output_stream"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string end, StringAttr(binding.node, "end"));
  TAGFLOW_ASSIGN_OR_RETURN(const Sink sink, SinkOf(stream));
  return BoundKernel([sink, end](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    if (input.rank() == 0) return sink(input.scalar<std::string>() + end);
    return InvalidArgument("what is printed must be a scalar, not of shape " +
                           DimsString(input.dims()));
  });
}

}  // namespace

Status RegisterPrintKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Print", BindPrint}, {"PrintV2", BindPrintV2}});
}

}  // namespace tagflow::optimized
