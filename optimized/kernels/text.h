#ifndef TAGFLOW_OPTIMIZED_KERNELS_TEXT_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TEXT_H_

// What kernels over texts share. A text is bytes; where characters are asked for, it is read as
// UTF-8, and bytes that are no UTF-8 count as characters in some way that never leaves the text.
// Tested by summarize_test.cc.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "graph/graph.h"
#include "graph/status.h"
#include "optimized/kernel.h"

namespace tagflow::optimized {

// Blank, tab, line feed, vertical tab, form feed, carriage return, whatever the locale.
inline bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Without the blanks at both ends.
inline std::string_view Stripped(std::string_view text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), IsBlank);
  const auto end = std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), IsBlank);
  return {begin, end.base()};
}

// Whether a byte goes on with a UTF-8 character that began before it.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Whether the attr `unit` says UTF8_CHAR, and not BYTE.
inline Result<bool> CountsCharacters(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string unit, StringAttr(node, "unit"));
  return unit == "UTF8_CHAR";
}

// Output 0: the texts of input 0, each changed by change(text), a Status; in their memory where
// nobody else sees them.
template <typename F>
Status ChangeTexts(KernelContext& context, F change) {
  Tensor texts = context.Take(0);
  if (!texts.unique()) {
    TAGFLOW_ASSIGN_OR_RETURN(texts, texts.Clone());
  }
  for (std::string& text : texts.mutable_flat<std::string>()) {
    TAGFLOW_RETURN_IF_ERROR(change(text));
  }
  context.output(0) = std::move(texts);
  return Status();
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TEXT_H_
