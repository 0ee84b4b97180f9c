#ifndef TAGFLOW_CLI_NPY_H_
#define TAGFLOW_CLI_NPY_H_

// NumPy's .npy files: versions 1, 2 and 3 of the header, C and Fortran order, either order of
// bytes.
//
// Strings are read from 'S' (bytes) and 'U' (text, as UTF-8) arrays and written as 'S'. NumPy has
// no bfloat16: it is written as NumPy's ml_dtypes does ('V2'), and such a file is bfloat16.

#include <string>
#include <string_view>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

// Errors: DATA_LOSS for what is not a whole .npy file; UNIMPLEMENTED for one that holds what no
// tensor here can: structs, dates, and Python objects, whose pickles are never opened.
Result<Tensor> NpyFromBytes(std::string_view bytes);
// Version 1, C order. UNIMPLEMENTED for resources and variants, for more than 32 dimensions, and
// for strings that end in a NUL (the format would lose it).
Result<std::string> NpyToBytes(const Tensor& tensor);

// Whether the bytes begin as such a file.
bool IsNpy(std::string_view bytes);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_NPY_H_
