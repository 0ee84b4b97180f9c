#ifndef TAGFLOW_GRAPH_UTF8_H_
#define TAGFLOW_GRAPH_UTF8_H_

// Texts in UTF-8, as the Unicode standard has it: no surrogates, no longer forms of a character.
//
// Tested by utf8_test.cc.

#include <cstddef>
#include <string_view>

namespace tagflow {

// The bytes of the character that `text` begins with; 0 where it begins with none.
// REQUIRES: text is not empty
size_t Utf8Length(std::string_view text);
bool IsUtf8(std::string_view text);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_UTF8_H_
