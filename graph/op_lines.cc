#include "graph/op_lines.h"

#include <string_view>

namespace tagflow {
namespace {

Status AddLine(const std::string& line, OpDefBuilder& builder) {
  const size_t space = line.find(' ');
  const std::string_view kind = std::string_view(line).substr(0, space);
  const std::string rest = space == line.npos ? "" : line.substr(space + 1);
  if (kind == "input") {
    builder.Input(rest);
  } else if (kind == "output") {
    builder.Output(rest);
  } else if (kind == "attr") {
    builder.Attr(rest);
  } else {
    return InvalidArgument("'" + line + "' is no spec: it begins with input, output or attr");
  }
  return Status();
}

}  // namespace

Result<OpDefBuilder> OpOfLines(const std::string& name, const std::vector<std::string>& lines) {
  OpDefBuilder builder(name);
  for (const std::string& line : lines) TAGFLOW_RETURN_IF_ERROR(AddLine(line, builder));
  return builder;
}

}  // namespace tagflow
