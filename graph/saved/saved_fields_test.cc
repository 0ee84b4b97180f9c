// The fields that we read and write of TensorFlow's messages have their numbers, types and names.
//
// Tests: saved_model.proto

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "graph/io/field_lines.h"
#include "graph/saved/saved_model.pb.h"

namespace tagflow {
namespace {

TEST(SavedFields, EveryFieldIsTensorFlows) {
  const std::set<std::string> theirs = ReadFieldLines("graph/saved/tensorflow_fields.txt");
  ASSERT_GT(theirs.size(), 80u);
  const std::set<std::string> ours = FieldLines(SavedModel::descriptor()->file(), false);
  ASSERT_GT(ours.size(), 40u);
  for (const std::string& line : ours) EXPECT_TRUE(theirs.contains(line)) << "they lack: " << line;
}

}  // namespace
}  // namespace tagflow
