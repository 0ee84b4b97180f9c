#ifndef TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_PROGRAM_H_
#define TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_PROGRAM_H_

// Elementwise calls, Splits and Concats as one program: each element of what comes out is computed
// from elements of what goes in, by itself.
//
//     inputs  0: float[64,1024]   1: float[64,256]
//     steps   2, 3, 4, 5 = pieces of 0 along dimension 1
//             6 = Sigmoid(2)   7 = Mul(6, 1)
//             8 = 6 and 7 behind each other along dimension 1
//
// Tested by element_text_test.cc.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "optimized/native/scalar_calls.h"
#include "optimized/native/tensor_type.h"

namespace tagflow::optimized {

struct ElementInput {
  friend bool operator==(const ElementInput&, const ElementInput&) = default;

  TensorType type;
  bool is_given = false;  // a scalar that comes with each run, and is in no memory
};

// Values are numbered: the inputs, and then what the steps give.
struct ElementStep {
  ScalarCall call = {};  // of an elementwise call
  std::vector<int> inputs = {};
  int pieces = 0;      // of a Split: what it gives; 0: it is none, and gives one value
  bool joins = false;  // whether it is a Concat, whose value no other step takes
  int64_t axis = 0;    // of these two; it may count from the end

  int num_outputs() const { return pieces > 0 ? pieces : 1; }
};

struct ElementProgram {
  std::vector<ElementInput> inputs;
  std::vector<ElementStep> steps;
};

// A dimension that may be counted from the end; nothing where there is none.
std::optional<size_t> AxisOf(const Dims& dims, int64_t axis);

// By value; nothing where the shapes or dtypes do not fit.
std::optional<std::vector<TensorType>> TypesOfValues(const ElementProgram& program);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_PROGRAM_H_
