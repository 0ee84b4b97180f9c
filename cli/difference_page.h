#ifndef TAGFLOW_CLI_DIFFERENCE_PAGE_H_
#define TAGFLOW_CLI_DIFFERENCE_PAGE_H_

// Two engines' tokens as a page (cli/explore): the firings of one of them, and beside each that
// differs what the other gave. It opens at the first.
//
// Tested by difference_page_test.cc and page_test.py.

#include <string>

#include "fuzz/harness/token_trace.h"

namespace tagflow::cli {

struct ComparedTraces {
  std::string actual_name, expected_name;
  const fuzz::TokenTrace& actual;
  const fuzz::TokenTrace& expected;  // a whole one
};

// Of the first call in which they differ; of the last where they do not.
std::string DifferencePage(const std::string& title, const fuzz::CallSequence& calls,
                           const ComparedTraces& traces);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_DIFFERENCE_PAGE_H_
