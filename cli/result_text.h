#ifndef TAGFLOW_CLI_RESULT_TEXT_H_
#define TAGFLOW_CLI_RESULT_TEXT_H_

// A result as people read it: "float[2] [1, 2.5]", and of a large one its corners.

#include <cstdint>
#include <functional>
#include <string_view>

#include "graph/tensor.h"

namespace tagflow::cli {

// What NumPy has for the same: a tensor of more elements than this is summarized, and then a
// dimension longer than twice kEdge is its first and last kEdge, with "..." between.
inline constexpr int64_t kSummarizedAbove = 1000;
inline constexpr int64_t kEdge = 3;

// Hands the text to `write`, piece by piece: dtype, shape, and the elements as nested lists, which
// graph/literal.h reads back unless they are summarized. Nothing is held of a large tensor's text.
//   all: every element, however many
void WriteResult(const Tensor& tensor, bool all,
                 const std::function<void(std::string_view text)>& write);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_RESULT_TEXT_H_
