#ifndef TAGFLOW_FUZZ_PROGRAM_LITERAL_TEXT_H_
#define TAGFLOW_FUZZ_PROGRAM_LITERAL_TEXT_H_

// Elements of tensors as text that reads back as the same bits (every NaN as one).

#include <optional>
#include <string>
#include <string_view>

#include "graph/tensor.h"

namespace tagflow::fuzz {

// "[[1, 2.5], [nan, -0]]": the shortest decimals that read back as the same numbers. All elements;
// dtypes other than those of programs give "?".
std::string LiteralText(const Tensor& tensor);

// The shortest decimal that reads back as the same number.
std::string NumberText(double value);
std::optional<double> NumberOfText(std::string_view text);
std::optional<int64_t> IntegerOfText(std::string_view text);

// Puts the number or truth value that the text names into element i of the tensor. False when it
// names none of the tensor's dtype.
// REQUIRES: i is inside, the tensor's memory is its own.
bool SetElement(Tensor& tensor, int64_t i, std::string_view text);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_LITERAL_TEXT_H_
