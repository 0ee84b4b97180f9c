#ifndef TAGFLOW_OPTIMIZED_KERNELS_SUMMARIZE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_SUMMARIZE_H_

// Values inside messages, in the form TensorFlow's own messages give them.

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/tensor.h"

namespace tagflow::optimized {

// The first `elements_max` elements (negative: all), inner dimensions in brackets:
// "1 2 3..." for a vector, "[1 2][3...]..." for a matrix, "5" for a scalar.
std::string Summarize(const Tensor& tensor, int64_t elements_max);

// The first and the last `ends` elements of each dimension (negative: all, and never more than
// there are elements in all), a line per row:
// "[[1 2]\n [3 4]]". Texts are quoted, complex numbers not shown: "?".
std::string SummarizeEnds(const Tensor& tensor, int64_t ends);

// One element: numbers by NumberText, "(1,2)" a complex one, 0 and 1 bools, text as EscapedText
// has it, "<variant>" what has no text. REQUIRES: 0 <= i < tensor.num_elements()
std::string ElementText(const Tensor& tensor, int64_t i);

// "0.1", "1e-07": the shortest of few digits that reads back as the same number.
std::string NumberText(double value);
std::string NumberText(float value);

// Quotes, backslashes and control characters escaped as in C, other bytes outside of ASCII as
// octal numbers unless `keeps_high`.
std::string EscapedText(std::string_view text, bool keeps_high);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_SUMMARIZE_H_
