// Any text is a program, or an error that says where; a program is written as text that is read as
// the same program.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/libfuzzer/require.h"
#include "fuzz/program/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tagflow::fuzz::Require;
  const auto program =
      tagflow::fuzz::ParseProgram(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!program.ok()) {
    Require(!program.status().message().empty(), "an error without a word");
    return 0;
  }
  const std::string text = tagflow::fuzz::ToText(*program);
  const auto again = tagflow::fuzz::ParseProgram(text);
  Require(again.ok(), "what was written cannot be read");
  Require(tagflow::fuzz::ToText(*again) == text, "the second text differs from the first");
  return 0;
}
