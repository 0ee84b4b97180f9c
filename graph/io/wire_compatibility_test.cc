// Our messages have the fields of TensorFlow's, with their numbers, types and names.
//
// Tests: field_lines.cc

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "graph/io/field_lines.h"
#include "graph/io/graph.pb.h"

namespace tagflow {
namespace {

TEST(WireCompatibility, EveryFieldIsTensorFlows) {
  const std::set<std::string> theirs = ReadFieldLines("graph/io/tensorflow_fields.txt");
  ASSERT_GT(theirs.size(), 200u);
  const std::set<std::string> ours = FieldLines(GraphDef::descriptor()->file(), true);
  for (const std::string& line : theirs) EXPECT_TRUE(ours.contains(line)) << "we lack: " << line;
  for (const std::string& line : ours) EXPECT_TRUE(theirs.contains(line)) << "they lack: " << line;
}

}  // namespace
}  // namespace tagflow
