#ifndef TAGFLOW_CONFORMANCE_COMMAND_ARGS_H_
#define TAGFLOW_CONFORMANCE_COMMAND_ARGS_H_

// The words of a command line: options (--name value, --name=value, --name for switches; -o value,
// where a command has such a short name) and operands, in any order; after "--" everything is an
// operand.   Tested by args_test.cc.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"

namespace tagflow {

// What the command's exit code means, the same for every subcommand.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;         // the step failed, or a check found something wrong
inline constexpr int kExitUsage = 2;          // the command line makes no sense
inline constexpr int kExitBadInput = 3;       // a file, feed or fetch cannot be used
inline constexpr int kExitInterrupted = 130;  // Ctrl-C, as shells have it

inline constexpr int64_t kMostJobs = 1024;  // processes or threads at work

struct OptionSpec {
  std::string_view name;  // "--feed", "-o"
  bool takes_value = true;
};

class Args {
 public:
  // words: without the program's and the subcommand's name.
  //   Errors: INVALID_ARGUMENT for an option that is not in `specs`, that lacks its value, or that
  //   has one it does not take.
  static Result<Args> Parse(const std::vector<std::string>& words,
                            const std::vector<OptionSpec>& specs);

  const std::vector<std::string>& operands() const { return operands_; }
  bool Has(std::string_view option) const;
  // All values given to an option, in order.
  std::vector<std::string> All(std::string_view option) const;
  // The last value given, or `otherwise`.
  std::string Last(std::string_view option, std::string_view otherwise = "") const;
  // The last value as a number in that range; INVALID_ARGUMENT when it is none.
  Result<int64_t> Int(std::string_view option, int64_t otherwise, int64_t least,
                      int64_t most = std::numeric_limits<int64_t>::max()) const;
  // A week at most: what a clock can surely hold.
  Result<double> Seconds(std::string_view option, double otherwise) const;
  // From 0 to 1.
  Result<double> Fraction(std::string_view option, double otherwise) const;
  // INVALID_ARGUMENT naming an option that takes a value and was given an empty one.
  Status RefuseEmpty() const;

 private:
  struct Given {
    std::string name;
    std::string value;
    bool takes_value = true;
  };
  std::vector<std::string> operands_;
  std::vector<Given> options_;
};

}  // namespace tagflow

#endif  // TAGFLOW_CONFORMANCE_COMMAND_ARGS_H_
