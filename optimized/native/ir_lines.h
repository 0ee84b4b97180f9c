#ifndef TAGFLOW_OPTIMIZED_NATIVE_IR_LINES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_IR_LINES_H_

// Text in LLVM's language that grows line by line. Tested by loop_source_test.cc.

#include <string>

namespace tagflow::optimized {

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
  std::string NewLabel() { return "on" + std::to_string(num_values_++); }

  const std::string& text() const { return text_; }

 private:
  const std::string prefix_;
  std::string text_;
  int num_values_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_IR_LINES_H_
