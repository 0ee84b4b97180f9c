#ifndef TAGFLOW_CLI_FEEDS_H_
#define TAGFLOW_CLI_FEEDS_H_

// From "x=3", "image=photo.npy" and "w=model.npz:weights" to named tensors.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace tagflow::cli {

// The value after the first '=' is an array of a file where it names one (array_file.h), else a
// literal (graph/literal.h) of the dtype that the graph gives the fed tensor. What is read from a
// file, or written as results are printed, becomes that dtype where no element changes by it
// (widen.h).
//   Errors name the feed: INVALID_ARGUMENT, NOT_FOUND (no such tensor, file or array), DATA_LOSS,
//   UNIMPLEMENTED, RESOURCE_EXHAUSTED.
Result<std::pair<std::string, Tensor>> ParseFeed(const Graph& graph, std::string_view word);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_FEEDS_H_
