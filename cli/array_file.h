#ifndef TAGFLOW_CLI_ARRAY_FILE_H_
#define TAGFLOW_CLI_ARRAY_FILE_H_

// Arrays in files of NumPy: one in a .npy, several by name in a .npz, which is a zip archive of
// such.

#include <optional>
#include <string>
#include <string_view>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

// A value on a command line that is a file: "x.npy", "x.npz", or "x.npz:weights" for one array of
// several.
struct ArrayName {
  std::string path;
  std::string array;  // empty: the only one
};
// Nothing for a value that names no such file: the ending says.
std::optional<ArrayName> AsArrayFile(std::string_view value);

// The array. Which of the two a file is its bytes say.
//   Errors name the file. NOT_FOUND where it cannot be opened, or holds no such array;
//   INVALID_ARGUMENT, listing the arrays, where it holds several and none is named; else of npy.h
//   and zip.h
Result<Tensor> ReadArray(const ArrayName& name);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_ARRAY_FILE_H_
