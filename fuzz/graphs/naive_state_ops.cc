// Stacks, arrays and reference variables. Any use of a stack changes what a later one finds; an
// array has parts: of each element what it is, and whether and in which shape it is there; and how
// many there are.
//
// Tested by naive_test.cc.

#include <algorithm>

#include "fuzz/graphs/naive_ops.h"

namespace tagflow::fuzz {
namespace {

using Values = std::vector<NaiveValue>;

const NaiveValue kFlow = {DType::kFloat, 0, ""};

// The parts of an array.
const char* const kSize = "size";
std::string Value(int64_t index) { return "value " + std::to_string(index); }
std::string Shape(int64_t index) { return "shape " + std::to_string(index); }

NaiveObject& ObjectOf(const NaiveFiring& firing) {
  return firing.state.objects.at(firing.inputs[0].variable);
}

Status Wrong(const NaiveObject& object, const std::string& what) {
  return InvalidArgument(object.name + " " + what);
}

// [resource.2]: named by node and tag.
NaiveObject& New(const NaiveFiring& firing, Values& out) {
  const std::string name = firing.node.name + (firing.tag.empty() ? "" : " at " + firing.tag);
  NaiveObject& object = firing.state.objects["/" + name];
  object.name = name;
  out = {{DType::kResource, 0, "/" + name}};
  return object;
}

Status NewStack(const NaiveFiring& firing, Values& out) {
  New(firing, out).most = firing.inputs[0].number;
  return Status();
}

Status Push(const NaiveFiring& firing, Values& out) {
  Touch(firing, true);
  NaiveObject& stack = ObjectOf(firing);
  if (stack.closed) return Wrong(stack, "is closed");
  if (stack.most >= 0 && static_cast<int64_t>(stack.pushed.size()) >= stack.most) {
    return Wrong(stack, "is full");
  }
  stack.pushed.push_back(firing.inputs[1]);
  out = {firing.inputs[1]};
  return Status();
}

Status Pop(const NaiveFiring& firing, Values& out) {
  Touch(firing, true);
  NaiveObject& stack = ObjectOf(firing);
  if (stack.closed) return Wrong(stack, "is closed");
  if (stack.pushed.empty()) return Wrong(stack, "is empty");
  out = {stack.pushed.back()};
  stack.pushed.pop_back();
  return Status();
}

// Of an array, too.
Status Close(const NaiveFiring& firing, Values&) {
  Touch(firing, true);
  ObjectOf(firing).closed = true;
  return Status();
}

Status NewArray(const NaiveFiring& firing, Values& out) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool clears, BoolAttr(firing.node, "clear_after_read"));
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(firing.node, "element_shape"));
  const int64_t size = firing.inputs[0].number;
  if (size < 0) return InvalidArgument("an array of fewer than no elements");
  NaiveObject& array = New(firing, out);
  array.elements.resize(static_cast<size_t>(size));
  array.clears = clears;
  array.zeros = shape.fully_known();
  out.push_back(kFlow);
  return Status();
}

// [resource.3]
Status GradientArray(const NaiveFiring& firing, Values& out) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string source, StringAttr(firing.node, "source"));
  const NaiveObject& array = ObjectOf(firing);
  if (array.closed) return Wrong(array, "is closed");
  if (array.adds) return Wrong(array, "is an array of gradients itself");
  const std::string handle = firing.inputs[0].variable + "@" + source;
  out = {{DType::kResource, 0, handle}, kFlow};
  auto [place, is_new] = firing.state.objects.try_emplace(handle);
  Touch(firing, false, kSize);
  for (size_t i = 0; i < array.elements.size(); ++i) {
    Touch(firing, false, Shape(static_cast<int64_t>(i)));
  }
  if (!is_new) return Status();
  NaiveObject& gradient = place->second;
  gradient.name = array.name + "@" + source;
  gradient.zeros = array.zeros;
  gradient.adds = true;
  for (const NaiveObject::Element& element : array.elements) {
    NaiveObject::Element zero;
    zero.value = {DType::kInt32, 0, ""};
    zero.written = element.written;
    gradient.elements.push_back(zero);
  }
  return Status();
}

Status WriteElement(const NaiveFiring& firing, Values& out) {
  NaiveObject& array = ObjectOf(firing);
  const int64_t index = firing.inputs[1].number;
  if (array.closed) return Wrong(array, "is closed");
  if (index < 0 || index >= static_cast<int64_t>(array.elements.size())) {
    return Wrong(array, "has no such element");
  }
  for (const std::string& part : {Value(index), Shape(index)}) Touch(firing, true, part);
  NaiveObject::Element& element = array.elements[static_cast<size_t>(index)];
  if (element.read) return Wrong(array, "was read there");
  if (element.written && !array.adds) return Wrong(array, "was written there");
  const int64_t before = element.written ? element.value.number : 0;
  element.value = firing.inputs[2];
  element.value.number = static_cast<int32_t>(static_cast<uint32_t>(before + element.value.number));
  element.written = true;
  out = {firing.inputs[3]};
  return Status();
}

// Of a gradient array whose elements have a known shape: beyond its end there are zeros.
void GrowForReading(const NaiveFiring& firing, NaiveObject& array, int64_t index) {
  constexpr int64_t kRoom = 1 << 20;
  if (!array.adds || !array.zeros || index >= kRoom) return;
  if (static_cast<int64_t>(array.elements.size()) <= index) Touch(firing, true, kSize);
  while (static_cast<int64_t>(array.elements.size()) <= index) {
    NaiveObject::Element& zero = array.elements.emplace_back();
    zero.value = {DType::kInt32, 0, ""};
    zero.written = true;
  }
}

Status ReadElement(const NaiveFiring& firing, Values& out) {
  NaiveObject& array = ObjectOf(firing);
  const int64_t index = firing.inputs[1].number;
  if (array.closed) return Wrong(array, "is closed");
  GrowForReading(firing, array, index);
  if (index < 0 || index >= static_cast<int64_t>(array.elements.size())) {
    return Wrong(array, "has no such element");
  }
  NaiveObject::Element& element = array.elements[static_cast<size_t>(index)];
  if (!element.written && !array.zeros) return Wrong(array, "was not written there");
  if (element.read && array.clears) return Wrong(array, "was read there");
  Touch(firing, array.clears, Value(index));
  if (!element.written) {
    Touch(firing, true, Shape(index));
    element.value = {DType::kInt32, 0, ""};
  }
  element.written = element.read = true;
  out = {element.value};
  return Status();
}

Status SizeOf(const NaiveFiring& firing, Values& out) {
  const NaiveObject& array = ObjectOf(firing);
  if (array.closed) return Wrong(array, "is closed");
  Touch(firing, false, kSize);
  out = {{DType::kInt32, static_cast<int64_t>(array.elements.size()), ""}};
  return Status();
}

// [resource.1]; apart from the variables that handles lead to.
Status Reference(const NaiveFiring& firing, Values& out) {
  TAGFLOW_ASSIGN_OR_RETURN(const DType dtype, TypeAttr(firing.node, "dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string shared, StringAttr(firing.node, "shared_name"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string container, StringAttr(firing.node, "container"));
  const std::string prefix = "&" + (container.empty() ? "localhost" : container) + "/";
  out = {{dtype, 0, prefix + (shared.empty() ? firing.node.name : shared), true}};
  return Status();
}

Status Assign(const NaiveFiring& firing, Values& out) {
  TouchWriting(firing);
  firing.state.variables[firing.inputs[0].variable] = firing.inputs[1];
  out = {firing.inputs[0]};
  return Status();
}

Status AssignAdd(const NaiveFiring& firing, Values& out) {
  TouchWriting(firing);
  NaiveValue& variable = firing.state.variables.at(firing.inputs[0].variable);
  const int64_t sum = variable.number + firing.inputs[1].number;
  variable.number = static_cast<int32_t>(static_cast<uint32_t>(sum));
  out = {firing.inputs[0]};
  return Status();
}

Status PassOn(const NaiveFiring& firing, Values& out) {
  out = {firing.inputs[0]};
  return Status();
}

Status HasValue(const NaiveFiring& firing, Values& out) {
  Touch(firing, false, kPresence);
  const bool has = firing.state.variables.contains(firing.inputs[0].variable);
  out = {{DType::kBool, has ? 1 : 0, ""}};
  return Status();
}

}  // namespace

NaiveOp FindNaiveStateOp(std::string_view op) {
  static const auto& ops = *new std::map<std::string_view, NaiveOp>{
      {"StackV2", NewStack},
      {"StackPushV2", Push},
      {"StackPopV2", Pop},
      {"StackCloseV2", Close},
      {"TensorArrayV3", NewArray},
      {"TensorArrayGradV3", GradientArray},
      {"TensorArrayWriteV3", WriteElement},
      {"TensorArrayReadV3", ReadElement},
      {"TensorArraySizeV3", SizeOf},
      {"TensorArrayCloseV3", Close},
      {"Variable", Reference},
      {"VariableV2", Reference},
      {"Assign", Assign},
      {"AssignAdd", AssignAdd},
      {"RefIdentity", PassOn},
      {"IsVariableInitialized", HasValue},
      {"VarIsInitializedOp", HasValue},
  };
  const auto found = ops.find(op);
  return found == ops.end() ? nullptr : found->second;
}

std::string NaiveNameOf(const NaiveValue& value) {
  return value.variable.substr(value.variable.find('/') + 1);
}

}  // namespace tagflow::fuzz
