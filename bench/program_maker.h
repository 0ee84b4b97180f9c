#ifndef TAGFLOW_BENCH_PROGRAM_MAKER_H_
#define TAGFLOW_BENCH_PROGRAM_MAKER_H_

// What the makers of programs share: the graph being built together with the call of it.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/programs.h"
#include "graph/builder/builder.h"

namespace tagflow::bench {

// Pseudo-random numbers that any peer can compute: u(i) in [-1, 1), from 32-bit arithmetic on i.
//   returns: float of shape dims, element i (row-major) being scale * u(i)
Tensor Matrix(const Dims& dims, double scale);
// Float of shape dims, every element `value`.
Tensor Filled(const Dims& dims, float value);

class ProgramMaker {
 public:
  Scope scope = Scope::Root();

  // A placeholder of the value's dtype and shape, fed with it.
  Output Fed(const std::string& name, Tensor value);
  // An int32 scalar, fed: what bounds a loop, so that no compiler knows it.
  Output Bound(int64_t value);
  // The program that fetches `outputs`.
  //   Errors: those of the graph's building
  Result<Program> Finish(const OutputList& outputs);

 private:
  Program program_;
};

// while i < bound: the body's variables, of which i is the first; i = i + 1 is added.
//   body: given the scope and all variables, the next values of all but i
//   returns: the last values of all variables
using CountedBody = std::function<OutputList(const Scope&, const OutputList&)>;
OutputList CountTo(const Scope& scope, const Input& bound, const OutputList& initial,
                   const CountedBody& body, const WhileOptions& options = {.back_prop = false});

}  // namespace tagflow::bench

#endif  // TAGFLOW_BENCH_PROGRAM_MAKER_H_
