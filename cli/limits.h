#ifndef TAGFLOW_CLI_LIMITS_H_
#define TAGFLOW_CLI_LIMITS_H_

// The fixed limits of what the command reads. docs/limits.md lists them, and what happens beyond
// each.

#include <cstdint>

namespace tagflow::cli {

// Strings of no bytes in a .npy file: nothing else bounds how many a shape may ask for.
inline constexpr int64_t kMostEmptyStrings = int64_t{1} << 20;

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_LIMITS_H_
