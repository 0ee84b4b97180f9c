#ifndef TAGFLOW_FUZZ_HARNESS_TOKEN_DIFF_H_
#define TAGFLOW_FUZZ_HARNESS_TOKEN_DIFF_H_

// Where two runs of one graph part: the first token that is not the same in both, and what it was
// made from.
//
// Tokens are told apart by call, tag and node, not by when they came: the order of firings is
// nobody's promise. "First" is by the order of the run that is taken for right; whatever a token
// was made from fired earlier there, so that the causes of the first diverging token agree, unless
// a firing is missing.

#include <map>
#include <optional>
#include <string>

#include "fuzz/harness/token_trace.h"

namespace tagflow::fuzz {

struct TokenDifference {
  size_t call = 0;
  std::string node;
  std::string tag;
  std::string actual;    // what the token was: "float[] 3", "dead", "never fired", an error
  std::string expected;  // what it should have been
  std::string causes;    // lines: its producers, theirs, … back to feeds
};

// Nothing when all that is in both agrees and nothing is missing (but for what a partial trace
// cannot tell). Values are compared bit for bit; handles and variants by dtype only.
std::optional<TokenDifference> FirstDifference(const CallSequence& calls, const TokenTrace& actual,
                                               const TokenTrace& expected);

// All events of `expected` that are not the same in `actual`, by their index there, and what there
// is instead, in words: "float[] 3", "dead", "never fired".
std::map<size_t, std::string> AllDifferences(const CallSequence& calls, const TokenTrace& actual,
                                             const TokenTrace& expected);

// In lines, each ended.
std::string ToText(const TokenDifference& difference, const std::string& actual_name,
                   const std::string& expected_name);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_HARNESS_TOKEN_DIFF_H_
