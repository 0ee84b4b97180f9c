#include "fuzz/gradient/real_values.h"

#include <cstdio>
#include <limits>

#include "fuzz/direct/direct.h"

namespace tagflow::fuzz {

std::vector<int> InputsOf(const Program& program, bool (*wanted)(DType)) {
  std::vector<int> inputs;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const bool is_there = program.inputs[i].feeds[0].num_elements() > 0;
    if (is_there && wanted(program.type(program.inputs[i].value).dtype)) {
      inputs.push_back(static_cast<int>(i));
    }
  }
  return inputs;
}

std::vector<int> ResultsOf(const Program& program, bool (*wanted)(DType)) {
  std::vector<int> results;
  for (size_t i = 0; i < program.body.results.size(); ++i) {
    if (wanted(program.type(program.body.results[i]).dtype)) results.push_back(static_cast<int>(i));
  }
  return results;
}

std::string Number(double x) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", x);
  return text;
}

std::string Place(int output, int input, size_t element) {
  return "d result " + std::to_string(output) + " / d input " + std::to_string(input) +
         " element " + std::to_string(element) + ": ";
}

double Epsilon(const Program& program) {
  for (const Type& type : program.types) {
    if (type.dtype == DType::kFloat) return std::numeric_limits<float>::epsilon();
  }
  return std::numeric_limits<double>::epsilon();
}

bool IsUndecided(const Program& program) {
  DirectOptions options;
  options.tolerances = true;
  const Result<std::vector<RunResult>> runs = Evaluate(program, options);
  return runs.ok() && (*runs)[0].undecided;
}

}  // namespace tagflow::fuzz
