#ifndef TAGFLOW_GRAPH_LITERAL_H_
#define TAGFLOW_GRAPH_LITERAL_H_

// Tensors as text, as on a command line: 3, -2.5e3, nan, true, "text", [1, 2, 3], [[1, 2], [3, 4]],
// (1, -2) for a complex number. A dtype may stand in front: float:[1, 2]; or dtype and shape, as
// results are printed: float[2] [1, 2]. So a shape can be written that lists alone do not say:
// double[0,3] [].

#include <cstddef>
#include <optional>
#include <string_view>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow {

// Lists in lists of a literal, which is read by a function that calls itself.
inline constexpr size_t kMostNestedBrackets = 100;

// The tensor that `text` says, of the dtype it names, else of `dtype`, else of the dtype that its
// elements look like: int32, float, bool or string. Where a string is wanted, text that starts with
// neither '[' nor '"' stands for itself.
//   Errors: INVALID_ARGUMENT saying where reading stopped; for an element that the dtype cannot
//   hold; for rows of different lengths; for a shape in front that the lists have not.
Result<Tensor> ParseLiteral(std::string_view text, std::optional<DType> dtype);

// Whether it begins as results are printed: "float[2] ".
bool IsPrinted(std::string_view text);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_LITERAL_H_
