#ifndef TAGFLOW_OPTIMIZED_NATIVE_LLVM_CODE_NAMES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LLVM_CODE_NAMES_H_

// Perf and gdb learn what machine code is called where TAGFLOW_NATIVE_NAMES is set in the
// environment: its functions have lines in perf-PID.map, which perf reads in /tmp, and are told to
// a debugger that looks on.
//
// Tested by tagflow_native_test.cc.

#include <llvm/ExecutionEngine/Orc/LLJIT.h>

// Does so for all code of the JIT from now on, if it is asked for.
void NameCode(llvm::orc::LLJIT& jit);

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LLVM_CODE_NAMES_H_
