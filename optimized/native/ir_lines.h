#ifndef TAGFLOW_OPTIMIZED_NATIVE_IR_LINES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_IR_LINES_H_

// Text in LLVM's language that grows line by line. Tested by loop_source_test.cc.

#include <string>

#include "optimized/native/llvm/tagflow_native.h"

namespace tagflow::optimized {

// Which way a branch mostly goes.
enum class Likely { kNeither, kFirst, kSecond };

class IrLines {
 public:
  // prefix: what all names of values begin with
  explicit IrLines(const std::string& prefix) : prefix_(prefix) {}

  void Add(const std::string& line) { text_ += "  " + line + "\n"; }
  void Label(const std::string& label) { text_ += label + ":\n"; }
  // A line that computes something, and the name of that.
  std::string Value(const std::string& expression) {
    const std::string name = "%" + prefix_ + std::to_string(num_values_++);
    Add(name + " = " + expression);
    return name;
  }
  std::string Load(const std::string& type, const std::string& place) {
    return Value("load " + type + ", ptr " + place);
  }
  void Store(const std::string& type, const std::string& value, const std::string& place) {
    Add("store " + type + " " + value + ", ptr " + place);
  }
  void Branch(const std::string& condition, const std::string& first, const std::string& second,
              Likely likely) {
    const std::string weights = likely == Likely::kFirst    ? ", !prof !0"
                                : likely == Likely::kSecond ? ", !prof !1"
                                                            : "";
    Add("br i1 " + condition + ", label %" + first + ", label %" + second + weights);
  }
  // On with the lines that are added next where the condition holds, else to `otherwise`, which is
  // rare; or the other way round.
  void GoOnIf(const std::string& condition, const std::string& otherwise) {
    const std::string next = NewLabel();
    Branch(condition, next, otherwise, Likely::kFirst);
    Label(next);
  }
  void LeaveIf(const std::string& condition, const std::string& otherwise) {
    const std::string next = NewLabel();
    Branch(condition, otherwise, next, Likely::kSecond);
    Label(next);
  }
  // The lines that a module with such branches ends with.
  static std::string Weights() {
    return "!0 = !{!\"branch_weights\", i32 2000, i32 1}\n"
           "!1 = !{!\"branch_weights\", i32 1, i32 2000}\n";
  }
  std::string NewLabel() { return prefix_ + "on" + std::to_string(num_values_++); }

  const std::string& text() const { return text_; }

 private:
  const std::string prefix_;
  std::string text_;
  int num_values_ = 0;
};

// A function that a loop calls for what wants vectors. They are functions of their own since calls
// that keep all registers (cells.h) keep those of vectors only in functions without vectors, before
// whose calls LLVM 19 empties their upper halves.
//   vectors: how long they are (llvm/tagflow_native.h)
inline std::string VectorFunction(const std::string& name, const std::string& parameters,
                                  const std::string& vectors, const IrLines& body) {
  return "define internal void " + name + "(" + parameters + ") noinline \"" +
         TAGFLOW_NATIVE_VECTORS + "\"=\"" + vectors + "\" {\nentry:\n" + body.text() +
         "  ret void\n}\n";
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_IR_LINES_H_
