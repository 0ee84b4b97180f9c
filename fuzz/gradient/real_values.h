#ifndef TAGFLOW_FUZZ_GRADIENT_REAL_VALUES_H_
#define TAGFLOW_FUZZ_GRADIENT_REAL_VALUES_H_

// The inputs and results of a program that derivatives are of.

#include <string>
#include <vector>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

// Comparisons of derivatives allow for rounding below this: factors on the way may have been
// subnormal, and rounded more coarsely.
constexpr double kUnderflow = 1e-280;

inline bool IsReal(DType dtype) { return dtype == DType::kDouble || dtype == DType::kFloat; }
inline bool IsDouble(DType dtype) { return dtype == DType::kDouble; }

// Those that have elements.
std::vector<int> InputsOf(const Program& program, bool (*wanted)(DType));
std::vector<int> ResultsOf(const Program& program, bool (*wanted)(DType));

// The precision that values are rounded to on the way.
double Epsilon(const Program& program);
// Whether some comparison on the way was too close to call, so that an engine that rounds otherwise
// may go another way.
bool IsUndecided(const Program& program);

// "d result 0 / d input 1 element 2: "
std::string Place(int output, int input, size_t element);
std::string Number(double x);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRADIENT_REAL_VALUES_H_
