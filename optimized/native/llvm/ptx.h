#ifndef TAGFLOW_OPTIMIZED_NATIVE_LLVM_PTX_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LLVM_PTX_H_

// Texts as PTX, the language of NVIDIA's GPUs.
//
// Tested by tagflow_native_test.cc.

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <string>

namespace tagflow::native {

// tagflow_native_ptx.
llvm::Expected<std::string> PtxOf(llvm::StringRef source);

}  // namespace tagflow::native

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LLVM_PTX_H_
