#ifndef TAGFLOW_CLI_LITERAL_H_
#define TAGFLOW_CLI_LITERAL_H_

// Tensors written on a command line: 3, -2.5e3, nan, true, "text", [1, 2, 3], [[1, 2], [3, 4]],
// (1, -2) for a complex number. A dtype may stand in front: float:[1, 2].

#include <optional>
#include <string_view>

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

// The tensor that `text` says, of the dtype it names, else of `dtype`, else of the dtype that its
// elements look like: int32, float, bool or string. Where a string is wanted, text that starts with
// neither '[' nor '"' stands for itself.
//   Errors: INVALID_ARGUMENT saying where reading stopped; for an element that the dtype cannot
//   hold; for rows of different lengths.
Result<Tensor> ParseLiteral(std::string_view text, std::optional<DType> dtype);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_LITERAL_H_
