#ifndef TAGFLOW_CLI_DIFFERENCE_PAGE_H_
#define TAGFLOW_CLI_DIFFERENCE_PAGE_H_

// DifferencePage shows two engines' tokens as a page (cli/explore): the firings of one of them, and
// beside each that differs what the other gave. It opens at the first.
//
// Tested by diff_test.cc and page_test.py.

#include <optional>
#include <string>

#include "fuzz/harness/token_diff.h"
#include "fuzz/harness/token_trace.h"

namespace tagflow::cli {

struct ComparedTraces {
  std::string actual_name, expected_name;
  const fuzz::TokenTrace& actual;
  const fuzz::TokenTrace& expected;                   // a whole one
  const std::optional<fuzz::TokenDifference>& first;  // FirstDifference of both
};

// The page has the first call in which the traces differ; the last one where they do not.
std::string DifferencePage(const std::string& title, const fuzz::CallSequence& calls,
                           const ComparedTraces& traces);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DIFFERENCE_PAGE_H_
