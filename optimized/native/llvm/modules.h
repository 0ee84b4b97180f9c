#ifndef TAGFLOW_OPTIMIZED_NATIVE_LLVM_MODULES_H_
#define TAGFLOW_OPTIMIZED_NATIVE_LLVM_MODULES_H_

// Texts as LLVM's modules, with the bodies of ops that they call (bodies.cc).
//
// Tested by tagflow_native_test.cc.

#include <llvm/ADT/StringRef.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>

namespace tagflow::native {

using ModulePointer = std::unique_ptr<llvm::Module>;

// All bodies, each read when it is asked for.
llvm::Expected<ModulePointer> LazyBodies(llvm::LLVMContext& context);

// The module of a text for a target, with the bodies that it calls.
//   Errors: what is wrong with the text, and where
llvm::Expected<ModulePointer> WithBodies(llvm::StringRef source, const char* name,
                                         const llvm::DataLayout& layout, const llvm::Triple& target,
                                         llvm::LLVMContext& context);

// Puts what the module calls and has not into it, where the library has it.
llvm::Error LinkFrom(llvm::Expected<ModulePointer> library, llvm::Module& module);

enum class Passes { kInlining, kAll };
// LLVM's passes over it, but for those that make code of it.
//   kInlining: for code that is run once: the bodies are good code already, and are put in
void RunPasses(llvm::Module& module, Passes passes, llvm::TargetMachine& machine);

}  // namespace tagflow::native

#endif  // TAGFLOW_OPTIMIZED_NATIVE_LLVM_MODULES_H_
