#include "fuzz/graphs/written.h"

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/io/tensor_proto.h"

namespace tagflow::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

Problem SameDevices(const Graph& graph, const Result<std::string>& bytes) {
  const Result<Graph> read = bytes.ok() ? ImportGraphFromBytes(*bytes) : bytes.status();
  if (!read.ok()) return "with devices it cannot be read: " + read.status().ToString();
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const NodeId found = read->Find(node.name);
    if (found != NodeId::kNone && read->node(found).device == node.device) continue;
    return "node '" + node.name + "' was for '" + node.device + "' and is no more when read";
  }
  return std::nullopt;
}

// Where a tensor's elements are, one or two (parts of complex ones) for each; null: in no field
// that messages of their own do not fill.
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

Problem KeepsDevices(const Graph& graph, Choices& choices) {
  static const auto& devices = *new std::vector<std::string>{"", "", "/device:CPU:0", "/gpu:1",
                                                             "/job:worker/task:2/device:SIM:0"};
  Graph asking = graph.Clone();
  for (const NodeId id : asking.NodeIds()) asking.mutable_node(id).device = choices.Of(devices);
  if (Problem problem = SameDevices(asking, ExportGraphToText(asking))) return problem;
  return SameDevices(asking, ExportGraphToBytes(asking));
}

Problem IsFilledUp(const Tensor& tensor, Choices& choices) {
  const Result<TensorProto> whole = TensorToProto(tensor, TensorForm::kReadable);
  const auto count = static_cast<int>(tensor.num_elements());
  const FieldDescriptor* const field = whole.ok() ? ElementsOf(*whole) : nullptr;
  if (field == nullptr) return std::nullopt;
  if (Problem problem = Differ("it", TensorFromProto(*whole), tensor)) return problem;
  const Reflection& access = *whole->GetReflection();
  if (access.FieldSize(*whole, field) % count != 0) return std::nullopt;
  const int parts = access.FieldSize(*whole, field) / count;
  const int kept = 1 + static_cast<int>(choices.Below(static_cast<uint32_t>(count)));
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
