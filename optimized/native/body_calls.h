#ifndef TAGFLOW_OPTIMIZED_NATIVE_BODY_CALLS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_BODY_CALLS_H_

// How the code of a loop calls the functions that an op's formulas are compiled to
// (llvm/bodies.cc).
//
// Tested by loop_source_test.cc.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "graph/dtype.h"
#include "optimized/native/ir_lines.h"
#include "optimized/native/scalar_calls.h"

namespace tagflow::optimized {

class BodyCalls {
 public:
  // Writes the call with these values of its inputs, and returns its result. REQUIRES: it gives one
  // output
  //   is_hot: the body is to be inlined however large it is
  std::string ValueOf(IrLines& lines, const ScalarCall& call,
                      const std::vector<std::string>& inputs, bool is_hot = false);
  // The same of a kFold of `count` inputs, each of which `load` gives when it is wanted.
  std::string Fold(IrLines& lines, const ScalarCall& call, size_t count,
                   const std::function<std::string(size_t)>& load, bool is_hot = false);
  // Whether the body refuses the inputs. REQUIRES: call.refuses
  std::string Refuses(IrLines& lines, const ScalarCall& call,
                      const std::vector<std::string>& inputs);

  // The functions that are called, of these and others.
  void Declare(const std::string& name, const std::string& result, const std::string& types);
  const std::string& declarations() const { return declarations_; }

 private:
  // One call of the body.
  std::string Body(IrLines& lines, const ScalarCall& call, const std::vector<std::string>& inputs,
                   bool is_hot);

  std::vector<std::string> names_;
  std::string declarations_;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_BODY_CALLS_H_
