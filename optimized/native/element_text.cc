#include "optimized/native/element_text.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "optimized/native/body_calls.h"
#include "optimized/native/element_writer.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/native_types.h"

namespace tagflow::optimized {
namespace {

// The step that gives a value; null: it is an input.
const ElementStep* MakerOf(const ElementProgram& program, int value) {
  int next = static_cast<int>(program.inputs.size());
  for (const ElementStep& step : program.steps) {
    next += step.num_outputs();
    if (value < next) return value < next - step.num_outputs() ? nullptr : &step;
  }
  return nullptr;
}

std::vector<StoredPart> PartsOf(const ElementProgram& program, const std::vector<TensorType>& types,
                                int value, size_t output) {
  const Dims& whole = types[static_cast<size_t>(value)].dims;
  const ElementStep* const maker = MakerOf(program, value);
  if (maker == nullptr || !maker->joins) return {{value, output, &whole}};
  std::vector<StoredPart> parts;
  const size_t axis = *AxisOf(whole, maker->axis);
  int64_t begin = 0;
  for (const int input : maker->inputs) {
    parts.push_back({input, output, &whole, axis, begin});
    begin += types[static_cast<size_t>(input)].dims[axis];
  }
  return parts;
}

// Whether all places in the values can be told by 32 bits.
bool AreSmall(const std::vector<TensorType>& types) {
  for (const TensorType& type : types) {
    const Result<int64_t> size = NumElements(type.dims);
    if (!size.ok() || *size > std::numeric_limits<int32_t>::max()) return false;
  }
  return true;
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : ", ") + part;
  return joined;
}

}  // namespace

ElementText::ElementText(const ElementProgram& program, const std::vector<TensorType>& types,
                         const std::vector<int>& outputs)
    : number_(AreSmall(types) ? "i32" : "i64") {
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ElementInput& input = program.inputs[i];
    const std::string type = input.is_given ? NativeTypeOf(input.type.dtype)->memory : "ptr";
    params_.push_back(type + " %p" + std::to_string(i));
  }
  std::map<Dims, std::vector<StoredPart>> by_shape;
  for (size_t i = 0; i < outputs.size(); ++i) {
    params_.push_back("ptr %o" + std::to_string(i));
    for (const StoredPart& part : PartsOf(program, types, outputs[i], i)) {
      by_shape[types[static_cast<size_t>(part.value)].dims].push_back(part);
    }
  }
  BodyCalls bodies;
  for (const auto& [dims, parts] : by_shape) {
    const int64_t count = *NumElements(dims);
    if (count == 0) continue;
    ElementWriter writer(program, types, dims, number_, bodies);
    for (const StoredPart& part : parts) writer.Store(part, "%o" + std::to_string(part.output));
    const std::string name = "@element" + std::to_string(functions_.size());
    texts_ += "define internal void " + name + "(" + number_ + " " + kElementNumber + ", " +
              Joined(params_) + ") alwaysinline {\n" + writer.text() + "  ret void\n}\n";
    functions_.push_back({name, count});
    num_elements_ = std::max(num_elements_, count);
  }
  texts_ += bodies.declarations();
}

std::string ElementText::ForGpu() const {
  std::vector<std::string> taken;
  for (const std::string& param : params_) {
    const bool is_output = param.starts_with("ptr %o");
    const bool is_input = param.starts_with("ptr %p");
    const std::string what = is_output ? "ptr noalias" : is_input ? "ptr noalias readonly" : "";
    taken.push_back(what.empty() ? param : what + param.substr(3));
  }
  std::string text = texts_;
  IrLines lines("k");
  std::string parts[3];
  const char* const registers[] = {"ctaid", "ntid", "tid"};
  for (size_t i = 0; i < 3; ++i) {
    const std::string name = std::string("@llvm.nvvm.read.ptx.sreg.") + registers[i] + ".x()";
    text += "declare i32 " + name + "\n";
    parts[i] = lines.Value("call i32 " + name);
    if (number_ == "i64") parts[i] = lines.Value("zext i32 " + parts[i] + " to i64");
  }
  const std::string before = lines.Value("mul " + number_ + " " + parts[0] + ", " + parts[1]);
  const std::string number = lines.Value("add " + number_ + " " + before + ", " + parts[2]);
  for (const Function& function : functions_) {
    const std::string has_one = lines.Value("icmp ult " + number_ + " " + number + ", " +
                                            std::to_string(function.num_elements));
    const std::string one = lines.NewLabel(), none = lines.NewLabel();
    lines.Branch(has_one, one, none, Likely::kNeither);
    lines.Label(one);
    lines.Add("call void " + function.name + "(" + number_ + " " + number + ", " + Joined(params_) +
              ")");
    lines.Add("br label %" + none);
    lines.Label(none);
  }
  return text + "define ptx_kernel void @" + kElementKernel + "(" + Joined(taken) + ") {\n" +
         lines.text() + "  ret void\n}\n";
}

std::string ElementText::ForHost() const {
  IrLines lines("k");
  std::vector<std::string> given;
  for (size_t i = 0; i < params_.size(); ++i) {
    const std::string type = params_[i].substr(0, params_[i].find(' '));
    const std::string place =
        lines.Load("ptr", lines.Value("getelementptr ptr, ptr %params, i64 " + std::to_string(i)));
    given.push_back(type + " " + lines.Load(type, place));
  }
  const std::string counter = lines.Value("alloca " + number_);
  for (const Function& function : functions_) {
    lines.Store(number_, "0", counter);
    const std::string next = lines.NewLabel(), end = lines.NewLabel();
    lines.Add("br label %" + next);
    lines.Label(next);
    const std::string number = lines.Load(number_, counter);
    lines.Add("call void " + function.name + "(" + number_ + " " + number + ", " + Joined(given) +
              ")");
    const std::string after = lines.Value("add " + number_ + " " + number + ", 1");
    lines.Store(number_, after, counter);
    const std::string more = lines.Value("icmp ult " + number_ + " " + after + ", " +
                                         std::to_string(function.num_elements));
    lines.Branch(more, next, end, Likely::kNeither);
    lines.Label(end);
  }
  return texts_ + "define void @" + kElementKernel + "(ptr %params) {\nentry:\n" + lines.text() +
         "  ret void\n}\n";
}

}  // namespace tagflow::optimized
