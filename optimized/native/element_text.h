#ifndef TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_TEXT_H_
#define TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_TEXT_H_

// An element program (element_program.h) in LLVM's language: for the outputs of each shape a
// function of an element's number, and around these the kernel of a GPU, in which a thread calls
// each function that has an element for it, or loops of the host. So what a GPU computes is tested
// on hosts, too.
//
// What a kernel is given, 8 bytes each: the address or the value of each input, and the address of
// each output.
//
// Tested by element_text_test.cc.

#include <cstdint>
#include <string>
#include <vector>

#include "optimized/native/element_program.h"

namespace tagflow::optimized {

inline constexpr char kElementKernel[] = "kernel";  // the function's name
// The host's.   params: where each is
using ElementFunction = void (*)(const void* const* params);

// outputs: values with elements, that are kept
// REQUIRES: types are TypesOfValues(program)
class ElementText {
 public:
  ElementText(const ElementProgram& program, const std::vector<TensorType>& types,
              const std::vector<int>& outputs);

  // kernel(params...), a ptx_kernel, for at least num_elements() threads.
  std::string ForGpu() const;
  // An ElementFunction.
  std::string ForHost() const;
  int64_t num_elements() const { return num_elements_; }  // of the largest output

 private:
  // Computes the outputs of one shape.
  struct Function {
    std::string name;
    int64_t num_elements;
  };

  std::string texts_;  // of the functions, each f(number, params...)
  std::vector<Function> functions_;
  std::vector<std::string> params_;  // "float %p1"
  std::string number_;               // the type of an element's number
  int64_t num_elements_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_ELEMENT_TEXT_H_
