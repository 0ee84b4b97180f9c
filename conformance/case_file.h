#ifndef TAGFLOW_CONFORMANCE_CASE_FILE_H_
#define TAGFLOW_CONFORMANCE_CASE_FILE_H_

// Cases on disk: text or binary, told apart by content; found under folders by their endings.

#include <string>
#include <vector>

#include "conformance/case.pb.h"
#include "graph/status.h"

namespace tagflow::conformance {

// Errors name the file, and the line and column or the byte.
Result<Case> ReadCase(const std::string& path);

// The case files under the paths: a file stands for itself, whatever its ending; a folder for all
// its .textproto and .case files, at any depth, symbolic links followed. Sorted; a file reached
// twice is listed once.
//   Errors: NOT_FOUND naming a path that is not there.
Result<std::vector<std::string>> FindCases(const std::vector<std::string>& paths);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_CASE_FILE_H_
