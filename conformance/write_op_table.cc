// Writes docs/ops.md: `bazel run //docs:update_ops`. With an argument, the root of a checkout. It
// writes nothing in a build that does not know all columns.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "conformance/op_table.h"

int main(int argc, char** argv) {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const std::string root = argc > 1 ? argv[1] : workspace == nullptr ? "." : workspace;
  const auto columns = tagflow::conformance::OpColumns();
  const auto is_unknown = [](const auto& column) { return column.says == nullptr; };
  if (std::ranges::any_of(columns, is_unknown)) {
    std::cerr << "the column GPU of docs/ops.md needs a build with a CUDA toolkit\n";
    return 1;
  }
  const auto cases = tagflow::conformance::CountCases(root + "/conformance/cases");
  if (!cases.ok()) {
    std::cerr << cases.status().ToString() << "\n";
    return 1;
  }
  std::ofstream file(root + "/docs/ops.md");
  file << tagflow::conformance::OpTable(tagflow::OpRegistry::Standard(), columns, *cases);
  if (!file.flush()) {
    std::cerr << "cannot write " << root << "/docs/ops.md\n";
    return 1;
  }
  return 0;
}
