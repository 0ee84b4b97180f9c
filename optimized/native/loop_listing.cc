#include "optimized/native/loop_listing.h"

#include <cstdio>
#include <unordered_map>

namespace tagflow::optimized {
namespace {

// "3" of a scalar that prints as "int32[] 3".
std::string ElementOf(const Tensor& scalar) {
  const std::string text = scalar.DebugString();
  return text.substr(text.find(' ') + 1);
}

class Lister {
 public:
  Lister(const ListedCall& listed, const LoopToCompile& loop, const LoopValues& values)
      : graph_(listed.graph), loop_(loop), values_(values) {
    for (size_t i = 0; i < listed.call.feeds.size(); ++i) {
      names_[static_cast<uint32_t>(i)] = OutputName(graph_, listed.call.feeds[i]);
    }
    // A slot is called by the node that writes it: a loop variable by its Enter, whose move comes
    // first.
    for (const Instruction& at : loop.code.instructions) {
      if (at.node == NodeId::kNone) continue;
      const std::string& name = graph_.node(at.node).name;
      if (at.op == OpCode::kMove || at.op == OpCode::kRead) names_.try_emplace(at.b, name);
      if (at.op != OpCode::kCall) continue;
      for (uint32_t i = 0; i < at.num_outputs; ++i) {
        const std::string number = i == 0 ? "" : ":" + std::to_string(i);
        names_.try_emplace(loop.code.outputs[at.b + i], name + number);
      }
    }
  }

  std::string List() const {
    std::string text;
    for (uint32_t at = loop_.bounds.head; at <= loop_.bounds.last; ++at) {
      const std::string line = LineOf(at) + KnownBehind(at);
      if (line.empty()) continue;
      char number[24];
      std::snprintf(number, sizeof number, "%6u  %c  ", at, values_.RunsNative(at) ? ' ' : '*');
      text += number + line + "\n";
    }
    return text;
  }

 private:
  std::string NameOf(uint32_t slot) const {
    const std::string constant = values_.Constant(slot);
    for (const auto& [number, value] : loop_.code.constants) {
      if (number == slot && !constant.empty()) return ElementOf(value);
    }
    const auto found = names_.find(slot);
    const std::string name =
        found == names_.end() ? "value " + std::to_string(slot) : found->second;
    if (values_.is_native(slot)) return name + ":" + DTypeName(values_.dtype(slot));
    const std::optional<size_t> tensor = values_.TensorOf(slot);
    if (!tensor) return name;
    const TensorType& type = values_.tensors()[*tensor].type;
    return name + ":" + DTypeName(type.dtype) + DimsString(type.dims);
  }

  // Empty: nothing is to be done.
  std::string LineOf(uint32_t at) const {
    const Instruction& instruction = loop_.code.instructions[at];
    const auto arg = [&](uint32_t i) { return NameOf(loop_.code.args[instruction.a + i].slot); };
    switch (instruction.op) {
      case OpCode::kCall:
        return CallLine(instruction, arg);
      case OpCode::kMove:
        return NameOf(instruction.b) + " = " + arg(0);
      case OpCode::kRead:
        return NameOf(instruction.b) + " = the variable of " + NameOf(instruction.a);
      case OpCode::kUnless:
        return "unless " + NameOf(instruction.a) + (instruction.n != 0 ? "" : " is false") +
               " to " + std::to_string(instruction.target);
      case OpCode::kUnlessIndex:
        return "unless " + NameOf(instruction.a) + " is " + std::to_string(instruction.n) + " to " +
               std::to_string(instruction.target);
      case OpCode::kJump:
        return "to " + std::to_string(instruction.target);
      case OpCode::kEnter:
        return "begin at depth " + std::to_string(instruction.n);
      case OpCode::kRepeat:
        return "repeat from " + std::to_string(instruction.target);
      case OpCode::kTryFused:
        if (values_.RunsNative(at)) return "";
        return "the calls up to " + std::to_string(instruction.target) + " at once";
      default:
        return "";
    }
  }
  // What machine code relies upon where a test has held.
  std::string KnownBehind(uint32_t at) const {
    std::string known;
    for (const LoopCounter& counter : values_.counters()) {
      if (counter.body == at + 1) known += "; " + NameOf(counter.slot) + " >= 0";
    }
    return known;
  }
  template <typename Arg>
  std::string CallLine(const Instruction& call, const Arg& arg) const {
    std::string line;
    for (uint32_t i = 0; i < call.num_outputs; ++i) {
      line += (i == 0 ? "" : ", ") + NameOf(loop_.code.outputs[call.b + i]);
    }
    line += line.empty() ? "" : " = ";
    line += call.node == NodeId::kNone ? "call" : graph_.node(call.node).op;
    for (uint32_t i = 0; i < call.n; ++i) line += (i == 0 ? "(" : ", ") + arg(i);
    return line + (call.n == 0 ? "()" : ")");
  }

  const Graph& graph_;
  const LoopToCompile& loop_;
  const LoopValues& values_;
  std::unordered_map<uint32_t, std::string> names_;  // by slot
};

}  // namespace

std::string ListLoop(const ListedCall& listed, const LoopToCompile& loop,
                     const LoopValues& values) {
  return Lister(listed, loop, values).List();
}

}  // namespace tagflow::optimized
