// Any text is a GraphDef, or an error that says where; what was read is written as text that is
// read as the same graph.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/libfuzzer/require.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/io/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tagflow::fuzz::Require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tagflow::GraphDef def;
  if (!tagflow::ParseText(text, "the input", def).ok()) return 0;
  tagflow::ImportOptions options;
  options.tensor_bytes_max = 1 << 20;
  const auto graph = tagflow::ImportGraph(def, options);
  if (!graph.ok()) return 0;
  const tagflow::Result<std::string> written = tagflow::ExportGraphToText(*graph);
  if (!written.ok() || written->empty()) return 0;
  tagflow::GraphDef read;
  const tagflow::Status status = tagflow::ParseText(*written, "what was written", read);
  Require(status.ok(), status.message());
  options.tensor_bytes_max = 1 << 24;
  const auto again = tagflow::ImportGraph(read, options);
  Require(again.ok(), "the graph that was written cannot be imported");
  const tagflow::Result<std::string> twice = tagflow::ExportGraphToText(*again);
  Require(twice.ok() && *twice == *written, "the second text differs from the first");
  return 0;
}
