#include "optimized/native/body_calls.h"

#include <algorithm>
#include <cstddef>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

const NativeType& TypeOf(DType dtype) { return *NativeTypeOf(dtype); }
// A type as a parameter and as the result of a body.
std::string Passed(DType dtype) {
  return dtype == DType::kBool ? "i1 zeroext" : TypeOf(dtype).value;
}
std::string Given(DType dtype) {
  return dtype == DType::kBool ? "zeroext i1" : TypeOf(dtype).value;
}

std::string Converted(IrLines& lines, const std::string& value, DType from, DType to) {
  const NativeType& source = TypeOf(from);
  const NativeType& target = TypeOf(to);
  if (std::string(source.value) == target.value) return value;
  const size_t from_size = DTypeSize(from), to_size = DTypeSize(to);
  std::string how;
  if (IsFloating(from)) {
    how = from_size < to_size ? "fpext" : "fptrunc";
  } else {
    how = from_size > to_size ? "trunc" : source.is_unsigned ? "zext" : "sext";
  }
  return lines.Value(how + " " + source.value + " " + value + " to " + target.value);
}

struct BodyArgs {
  std::string values;  // "i32 %v1, i32 %v2"
  std::string types;
};
BodyArgs ArgsOf(IrLines& lines, const ScalarCall& call, const std::vector<std::string>& inputs) {
  BodyArgs args;
  for (const std::string& input : inputs) {
    const std::string value = Converted(lines, input, call.input, call.computes);
    const std::string separator = args.types.empty() ? "" : ", ";
    args.values += separator + Passed(call.computes) + " " + value;
    args.types += separator + Passed(call.computes);
  }
  return args;
}

}  // namespace

std::string BodyCalls::ValueOf(IrLines& lines, const ScalarCall& call,
                               const std::vector<std::string>& inputs, bool is_hot) {
  switch (call.kind) {
    case ScalarCall::Kind::kBody:
      return Body(lines, call, inputs, is_hot);
    case ScalarCall::Kind::kFold:
      return Fold(
          lines, call, inputs.size(), [&](size_t i) { return inputs[i]; }, is_hot);
    case ScalarCall::Kind::kChoice: {
      const std::string type = TypeOf(call.output).value;
      return lines.Value("select i1 " + inputs[0] + ", " + type + " " + inputs[1] + ", " + type +
                         " " + inputs[2]);
    }
    case ScalarCall::Kind::kHandOn:
      return inputs[0];
    case ScalarCall::Kind::kFill:
      return NativeLiteral(call.output, call.value);
  }
  return "";
}

std::string BodyCalls::Fold(IrLines& lines, const ScalarCall& call, size_t count,
                            const std::function<std::string(size_t)>& load, bool is_hot) {
  std::string folded = load(0);
  for (size_t i = 1; i < count; ++i) folded = Body(lines, call, {folded, load(i)}, is_hot);
  return folded;
}

std::string BodyCalls::Body(IrLines& lines, const ScalarCall& call,
                            const std::vector<std::string>& inputs, bool is_hot) {
  const BodyArgs args = ArgsOf(lines, call, inputs);
  const std::string given = Given(call.result);
  Declare(call.body, given, args.types);
  const std::string value = lines.Value("call " + given + " @" + call.body + "(" + args.values +
                                        ")" + (is_hot ? " alwaysinline" : ""));
  return Converted(lines, value, call.result, call.output);
}

std::string BodyCalls::Refuses(IrLines& lines, const ScalarCall& call,
                               const std::vector<std::string>& inputs) {
  const BodyArgs args = ArgsOf(lines, call, inputs);
  Declare(call.refuses, "zeroext i1", args.types);
  return lines.Value("call zeroext i1 @" + call.refuses + "(" + args.values + ")");
}

void BodyCalls::Declare(const std::string& name, const std::string& result,
                        const std::string& types) {
  if (std::ranges::find(names_, name) != names_.end()) return;
  names_.push_back(name);
  declarations_ += "declare " + result + " @" + name + "(" + types + ")\n";
}

}  // namespace tagflow::optimized
