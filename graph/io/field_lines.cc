#include "graph/io/field_lines.h"

#include <fstream>

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

void AddFile(const FileDescriptor* file, bool with_imports, std::set<std::string>& lines) {
  for (int i = 0; i < file->dependency_count() && with_imports; ++i) {
    AddFile(file->dependency(i), true, lines);
  }
  for (int i = 0; i < file->message_type_count(); ++i) AddMessage(file->message_type(i), lines);
  for (int i = 0; i < file->enum_type_count(); ++i) {
    const EnumDescriptor* type = file->enum_type(i);
    for (int j = 0; j < type->value_count(); ++j) {
      lines.insert("value " + type->name() + "." + type->value(j)->name() + " " +
                   std::to_string(type->value(j)->number()));
    }
  }
}

}  // namespace

std::set<std::string> FieldLines(const FileDescriptor* file, bool with_imports) {
  std::set<std::string> lines;
  AddFile(file, with_imports, lines);
  return lines;
}

std::set<std::string> ReadFieldLines(const std::string& path) {
  std::ifstream file(path);
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

}  // namespace tagflow
