#ifndef TAGFLOW_BENCH_PROGRAM_MAKERS_H_
#define TAGFLOW_BENCH_PROGRAM_MAKERS_H_

// One function per program, by what makes it expensive; programs.cc lists them. `size` is what the
// spec calls size. Errors: none with the sizes of the list.

#include <cstdint>

#include "bench/programs.h"

namespace tagflow::bench {

// Scalars in loops: scalar_programs.cc.
Result<Program> MakeScalar(int64_t size);       // trips
Result<Program> MakeLoop4(int64_t size);        // trips
Result<Program> MakePingPong(int64_t size);     // trips
Result<Program> MakeCondWhile(int64_t size);    // trips
Result<Program> MakeNested2(int64_t size);      // outer trips, of 100 inner ones each
Result<Program> MakeNested3(int64_t size);      // outermost trips, of 20 x 50
Result<Program> MakeFizzBuzz(int64_t size);     // trips
Result<Program> MakeCollatz(int64_t size);      // where k ends
Result<Program> MakeMandelbrot(int64_t size);   // rows and columns
Result<Program> MakeTensorArray(int64_t size);  // elements
Result<Program> MakeStack(int64_t size);        // elements

// Arrays in loops: array_programs.cc.
Result<Program> MakeVector100(int64_t size);       // trips
Result<Program> MakeVector100k(int64_t size);      // trips
Result<Program> MakeSoftmax100(int64_t size);      // trips
Result<Program> MakeSlices(int64_t size);          // elements
Result<Program> MakeItems(int64_t size);           // rows, of as many elements
Result<Program> MakeChanges(int64_t size);         // elements
Result<Program> MakeMatMul64(int64_t size);        // trips
Result<Program> MakeMatMul512(int64_t size);       // trips
Result<Program> MakeLstmBatch1(int64_t size);      // time steps
Result<Program> MakeLstmBatch64(int64_t size);     // time steps
Result<Program> MakeLstmGradient1(int64_t size);   // time steps
Result<Program> MakeLstmGradient64(int64_t size);  // time steps
Result<Program> MakeParallelMap1(int64_t size);    // elements; parallel_iterations 1
Result<Program> MakeParallelMap10(int64_t size);   // … 10
Result<Program> MakeParallelMap32(int64_t size);   // … 32

// Gradients of loops: gradient_programs.cc.
Result<Program> MakeScalarGradient(int64_t size);  // trips
Result<Program> MakeVectorGradient(int64_t size);  // trips
Result<Program> MakeNestedGradient(int64_t size);  // outer trips, of 40 inner ones each
Result<Program> MakeCondGradient(int64_t size);    // trips

// Many ops, and few that are live: op_programs.cc.
Result<Program> MakeOneOp(int64_t size);         // without meaning
Result<Program> MakeWide(int64_t size);          // ops
Result<Program> MakeChain(int64_t size);         // ops
Result<Program> MakeDeadBranch(int64_t size);    // ops
Result<Program> MakeLiveBranch(int64_t size);    // ops
Result<Program> MakeDeadLoop100(int64_t size);   // trips, with a dead branch of 100 ops
Result<Program> MakeDeadLoop1000(int64_t size);  // … of 1,000 ops

}  // namespace tagflow::bench

#endif  // TAGFLOW_BENCH_PROGRAM_MAKERS_H_
