#ifndef TAGFLOW_CLI_REPORT_H_
#define TAGFLOW_CLI_REPORT_H_

// How results and errors look, for people and, as JSON, for programs.

#include <string>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

// "error: INVALID_ARGUMENT: …" with node, tag, device and rule on lines of their own.
std::string ErrorText(const Status& status);
// {"code":"INVALID_ARGUMENT","message":"…","node":"…","tag":"…","rule":"…"}; what is empty is left
// out.
std::string ErrorJson(const Status& status);

// {"dtype":"float","shape":[2],"value":[1,2.5]}. Numbers that JSON lacks are the strings "NaN",
// "Infinity" and "-Infinity"; a complex number is [real, imaginary]; a string that is not UTF-8 is
// {"hex":"…"}; handles and variants are strings that describe them.
std::string TensorJson(const Tensor& tensor);
// "outputs":{NAME:TensorJson,…}, the field. A name that is there twice is the same value twice.
std::string OutputsJson(const std::vector<std::string>& names, const std::vector<Tensor>& values);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_REPORT_H_
