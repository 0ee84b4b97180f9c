#ifndef TAGFLOW_REFERENCE_KERNELS_SUMMARIZE_H_
#define TAGFLOW_REFERENCE_KERNELS_SUMMARIZE_H_

// Values inside messages, in the form TensorFlow's own messages give them.

#include <cstdint>
#include <string>

#include "graph/tensor.h"

namespace tagflow::reference {

// The first `max_elements` elements (negative: all), inner dimensions in brackets:
// "1 2 3..." for a vector, "[1 2][3...]..." for a matrix, "5" for a scalar.
std::string Summarize(const Tensor& tensor, int64_t max_elements);

// The first and the last `ends` elements of each dimension (negative: all, and never more than
// there are elements in all), a line per row:
// "[[1 2]\n [3 4]]". Texts are quoted, complex numbers not shown: "?".
std::string SummarizeEnds(const Tensor& tensor, int64_t ends);

// "0.1", "1e-07": the shortest of few digits that reads back as the same number.
std::string NumberText(double value);
std::string NumberText(float value);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_SUMMARIZE_H_
