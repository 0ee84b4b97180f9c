#ifndef TAGFLOW_CLI_OUTPUTS_H_
#define TAGFLOW_CLI_OUTPUTS_H_

// Fetched tensors as .npy files in a folder: all of them or none.

#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

// The file names for these fetches: the tensor's name with '_' for what file names dislike, and a
// number where two would be the same.
std::vector<std::string> FileNames(const std::vector<std::string>& fetches);

// Writes every tensor to `folder`, which is made if it is not there; the paths in order.
//   Errors: of NpyToBytes and of the file system; then nothing is written.
Result<std::vector<std::string>> WriteOutputs(const std::string& folder,
                                              const std::vector<std::string>& fetches,
                                              const std::vector<Tensor>& values);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_OUTPUTS_H_
