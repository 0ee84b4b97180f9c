#ifndef TAGFLOW_REFERENCE_KERNELS_OP_ROWS_H_
#define TAGFLOW_REFERENCE_KERNELS_OP_ROWS_H_

// For tests: calls of ops and what must come of them, a line each.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/kernels/op_runner.h"

namespace tagflow::reference {

struct Row {
  std::string op;
  std::vector<OpRunner::Input> inputs;
  AttrMap attrs;
  std::string expected;  // the whole text, or of an error the code and a colon
};

// One runner for all rows.
inline void Check(const std::vector<Row>& rows) {
  OpRunner runner;
  for (const Row& row : rows) {
    const std::string text = runner.Text(row.op, row.inputs, row.attrs);
    EXPECT_TRUE(row.expected.ends_with(":") ? text.starts_with(row.expected) : text == row.expected)
        << row.op << ": " << text << " is not " << row.expected;
  }
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_OP_ROWS_H_
