#ifndef TAGFLOW_CLI_FEEDS_H_
#define TAGFLOW_CLI_FEEDS_H_

// From "x=3" and "image=photo.npy" to named tensors.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tagflow::cli {

// The value after the first '=' is a file if it ends in ".npy", else a literal (literal.h) of the
// dtype that the graph gives the fed tensor.
//   Errors name the feed: INVALID_ARGUMENT, NOT_FOUND (no such tensor, no such file), DATA_LOSS.
Result<std::pair<std::string, Tensor>> ParseFeed(const Graph& graph, std::string_view word);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_FEEDS_H_
