#ifndef TAGFLOW_OPTIMIZED_NATIVE_SCALAR_CALLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_SCALAR_CALLS_H_

// What the engine's kernels make of scalars, in terms of the functions that machine code can call.
// Of tensors they make the same, element by element (tensor_calls.h).
//
// Tested by loop_source_test.cc.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/tensor.h"
#include "optimized/kernels/part.h"
#include "optimized/native/tensor_type.h"

namespace tagflow::optimized {

struct ScalarCall {
  enum class Kind : uint8_t {
    kBody,  // calls `body` on inputs brought to `computes`; what that gives is brought to `output`
    kFold,  // the same with inputs 0 and 1, then with that and input 2, and so on
    kChoice,  // of inputs 1 and 2, by input 0
    kHandOn,  // output i is input i
    kFill,    // `value`
  };
  // Which tensors it takes.
  enum class Shapes : uint8_t {
    kSame,         // of one shape
    kBroadcast,    // that broadcast
    kBias,         // a value, and a vector along its last dimension; and no scalars
    kChosenWhole,  // two of one shape, by a scalar or by a condition of their shape
  };
  Kind kind = Kind::kBody;
  Shapes shapes = Shapes::kSame;
  DType input = DType::kInvalid;   // of all, but of a choice's condition; kInvalid: any
  DType output = DType::kInvalid;  // kInvalid: that of the input
  std::string body = {};
  DType computes = DType::kInvalid;
  DType result = DType::kInvalid;  // what the body gives
  std::string refuses = {};  // a function that says whether `body` refuses its inputs; empty: none
  int value = 0;
};

// Whether there is a function of this name.
using HasBody = std::function<bool(const std::string& name)>;

// Nothing where scalars of the kernel's dtypes are not for machine code.
std::optional<ScalarCall> ScalarCallOf(const KernelPart& part, const HasBody& has_body);

// Whether the inputs are of dtypes that it takes.
bool TakesDTypes(const ScalarCall& call, const std::vector<const TensorType*>& inputs);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_SCALAR_CALLS_H_
