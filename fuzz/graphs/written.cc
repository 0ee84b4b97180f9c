#include "fuzz/graphs/written.h"

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/io/parse.h"
#include "graph/io/random_graph_def.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

Problem Survives(const std::string& form, const std::string& bytes, const std::string& wanted) {
  const Result<Graph> graph = ImportGraphFromBytes(bytes);
  if (!graph.ok()) return "from " + form + " it cannot be read: " + graph.status().ToString();
  const Result<std::string> exported = ExportGraphToBytes(*graph);
  if (!exported.ok()) return "read from " + form + ": " + exported.status().ToString();
  return *exported == wanted ? Problem() : "read from " + form + ", it is another graph";
}

// Where a tensor's elements are; null: nowhere, or each is a message.
const FieldDescriptor* ElementsOf(const TensorProto& proto) {
  std::vector<const FieldDescriptor*> fields;
  proto.GetReflection()->ListFields(proto, &fields);
  for (const FieldDescriptor* const field : fields) {
    if (field->is_repeated() && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return field;
  }
  return nullptr;
}

Problem Differ(const std::string& what, const Result<Tensor>& tensor, const Tensor& wanted) {
  if (!tensor.ok()) return what + " cannot be read: " + tensor.status().ToString();
  if (BitwiseEqual(*tensor, wanted)) return std::nullopt;
  return what + " is read as " + tensor->DebugString() + " instead of " + wanted.DebugString();
}

}  // namespace

Problem IsReadAsWritten(Choices& choices) {
  const GraphDef def = RandomGraphDef(static_cast<uint32_t>(choices.Seed()));
  const std::string bytes = SerializeDeterministic(def);
  const std::string text = ToText(def);
  if (Problem problem = Survives("bytes", bytes, bytes)) return *problem + "\n" + text;
  if (Problem problem = Survives("text", text, bytes)) return *problem + "\n" + text;
  return std::nullopt;
}

Problem IsFilledUp(const Tensor& tensor, Choices& choices) {
  const Result<TensorProto> whole = TensorToProto(tensor, TensorForm::kReadable);
  const auto count = static_cast<int>(tensor.num_elements());
  const FieldDescriptor* const field = whole.ok() ? ElementsOf(*whole) : nullptr;
  if (field == nullptr) return std::nullopt;
  if (Problem problem = Differ("it", TensorFromProto(*whole), tensor)) return problem;
  const Reflection& access = *whole->GetReflection();
  const int parts = IsComplex(tensor.dtype()) ? 2 : 1;
  if (access.FieldSize(*whole, field) != count * parts) return std::nullopt;  // it is short already
  const int kept = 1 + static_cast<int>(choices.Below(static_cast<size_t>(count)));
  TensorProto few = *whole;
  for (int i = kept * parts; i < count * parts; ++i) access.RemoveLast(&few, field);
  TensorProto last;
  access.SwapFields(&last, &few, {field});  // all of them
  few.MergeFrom(last);
  for (int i = 0; i < parts; ++i) access.SwapElements(&last, field, i, (kept - 1) * parts + i);
  while (access.FieldSize(last, field) > parts) access.RemoveLast(&last, field);
  TensorProto filled = few;
  for (int i = kept; i < count; ++i) filled.MergeFrom(last);
  const Result<Tensor> wanted = TensorFromProto(filled);
  if (!wanted.ok()) return "filled up, it cannot be read: " + wanted.status().ToString();
  return Differ("of " + std::to_string(kept) + " elements given, it", TensorFromProto(few),
                *wanted);
}

}  // namespace tagflow::fuzz
