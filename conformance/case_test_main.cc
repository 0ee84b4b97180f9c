// A conformance test of Bazel: `tagflow check` over the cases of one shard. See defs.bzl.

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "conformance/commands.h"

namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int main(int argc, char** argv) {
  // The engine's process is this program again.
  if (argc > 1 && std::strcmp(argv[1], "serve") == 0) {
    return tagflow::conformance::ServeCommand(argc - 1, argv + 1);
  }
  std::vector<std::string> arguments(argv, argv + argc);
  if (const std::string shards = Environment("TEST_TOTAL_SHARDS"); !shards.empty()) {
    arguments.insert(arguments.begin() + 1,
                     {"--shard", Environment("TEST_SHARD_INDEX") + "/" + shards});
    std::ofstream(Environment("TEST_SHARD_STATUS_FILE")).flush();  // says that sharding is done
  }
  if (const std::string xml = Environment("XML_OUTPUT_FILE"); !xml.empty()) {
    arguments.insert(arguments.begin() + 1, {"--junit", xml});
  }
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return tagflow::conformance::CheckCommand(static_cast<int>(pointers.size()), pointers.data());
}
