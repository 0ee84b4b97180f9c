// Our messages have the fields of TensorFlow's, with their numbers, types and names.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "graph/io/graph.pb.h"

namespace tagflow {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

// The name that TensorFlow has for a message or field of ours: without the package, and without the
// ending that keeps four of our messages apart from C++ types.
std::string TheirName(const std::string& full_name) {
  std::string name = full_name.substr(std::string("tagflow.").size());
  for (const char* message : {"AttrValue", "NameAttrList", "FunctionDef", "OpDef"}) {
    const std::string ours = std::string(message) + "Proto";
    if (name == ours || name.starts_with(ours + ".")) name.erase(ours.size() - 5, 5);
  }
  return name;
}

std::string TypeName(const FieldDescriptor* field) {
  if (field->message_type() != nullptr) return TheirName(field->message_type()->full_name());
  if (field->enum_type() != nullptr) return TheirName(field->enum_type()->full_name());
  return field->type_name();
}

void AddMessage(const Descriptor* message, std::set<std::string>& lines) {
  for (int i = 0; i < message->field_count(); ++i) {
    const FieldDescriptor* field = message->field(i);
    lines.insert((field->is_repeated() ? "repeated " : "") + TypeName(field) + " " +
                 TheirName(field->full_name()) + " " + std::to_string(field->number()));
  }
  for (int i = 0; i < message->nested_type_count(); ++i) AddMessage(message->nested_type(i), lines);
}

// The lines that list_tensorflow_fields.py would print for `file` and what it imports.
void AddFile(const FileDescriptor* file, std::set<std::string>& lines) {
  for (int i = 0; i < file->dependency_count(); ++i) AddFile(file->dependency(i), lines);
  for (int i = 0; i < file->message_type_count(); ++i) AddMessage(file->message_type(i), lines);
  for (int i = 0; i < file->enum_type_count(); ++i) {
    const EnumDescriptor* type = file->enum_type(i);
    for (int j = 0; j < type->value_count(); ++j) {
      lines.insert("value " + type->name() + "." + type->value(j)->name() + " " +
                   std::to_string(type->value(j)->number()));
    }
  }
}

TEST(WireCompatibility, EveryFieldIsTensorFlows) {
  std::ifstream file("graph/io/tensorflow_fields.txt");
  ASSERT_TRUE(file.is_open());
  std::set<std::string> theirs;
  for (std::string line; std::getline(file, line);) theirs.insert(line);
  ASSERT_GT(theirs.size(), 200u);

  std::set<std::string> ours;
  AddFile(GraphDef::descriptor()->file(), ours);

  for (const std::string& line : theirs) EXPECT_TRUE(ours.contains(line)) << "we lack: " << line;
  for (const std::string& line : ours) EXPECT_TRUE(theirs.contains(line)) << "they lack: " << line;
}

}  // namespace
}  // namespace tagflow
