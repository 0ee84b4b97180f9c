// Any bytes are a GraphDef, or an error: import does not crash, and what was imported is written
// and read again without a change.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/libfuzzer/require.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tagflow::fuzz::Require;
  tagflow::ImportOptions options;
  options.tensor_bytes_max = 1 << 20;
  const auto graph = tagflow::ImportGraphFromBytes(
      std::string_view(reinterpret_cast<const char*>(data), size), options);
  if (!graph.ok()) {
    Require(!graph.status().message().empty(), "an error without a word");
    return 0;
  }
  (void)tagflow::ValidateGraph(*graph);
  const tagflow::Result<std::string> bytes = tagflow::ExportGraphToBytes(*graph);
  if (!bytes.ok()) return 0;  // opaque bytes that are not what they say
  options.tensor_bytes_max = 1 << 24;
  const auto again = tagflow::ImportGraphFromBytes(*bytes, options);
  Require(again.ok() || bytes->empty(), "what was exported cannot be imported");
  if (!again.ok()) return 0;
  const tagflow::Result<std::string> twice = tagflow::ExportGraphToBytes(*again);
  Require(twice.ok() && *twice == *bytes, "the second export differs from the first");
  return 0;
}
