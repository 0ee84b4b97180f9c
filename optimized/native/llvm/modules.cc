#include "optimized/native/llvm/modules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Inliner.h>

#include <utility>

#include "optimized/native/llvm/tagflow_native.h"

// The bitcode of bodies.cc.
extern "C" const unsigned char tagflow_native_bodies[];
extern "C" const size_t tagflow_native_bodies_size;

namespace tagflow::native {

llvm::Error LinkFrom(llvm::Expected<ModulePointer> library, llvm::Module& module) {
  if (!library) return library.takeError();
  (*library)->setDataLayout(module.getDataLayout());
  (*library)->setTargetTriple(module.getTargetTriple());
  llvm::StringSet<> own;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration()) own.insert(function.getName());
  }
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded)) {
    return llvm::createStringError("a library does not link");
  }
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || own.contains(function.getName())) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    // Clang made it for any processor; now it is for this one, like the code that calls it.
    for (const char* const attribute : {"target-cpu", "target-features", "tune-cpu"}) {
      function.removeFnAttr(attribute);
    }
  }
  return llvm::Error::success();
}

llvm::Expected<ModulePointer> LazyBodies(llvm::LLVMContext& context) {
  const auto* const bytes = reinterpret_cast<const char*>(tagflow_native_bodies);
  const llvm::StringRef bitcode(bytes, tagflow_native_bodies_size);
  return llvm::getLazyBitcodeModule({bitcode, "bodies"}, context);
}

llvm::Expected<ModulePointer> WithBodies(llvm::StringRef source, const char* name,
                                         const llvm::DataLayout& layout, const llvm::Triple& target,
                                         llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  ModulePointer module =
      llvm::parseAssembly(llvm::MemoryBufferRef(source, name), diagnostic, context);
  if (module == nullptr) {
    return llvm::createStringError("line " + llvm::Twine(diagnostic.getLineNo()) + ": " +
                                   diagnostic.getMessage() + ": " + diagnostic.getLineContents());
  }
  module->setDataLayout(layout);
  module->setTargetTriple(target.str());
  if (llvm::Error error = LinkFrom(LazyBodies(context), *module)) return error;
  return module;
}

void RunPasses(llvm::Module& module, Passes passes, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // The lanes of a reduction (formulas/reductions.h) become vectors so.
  tuning.SLPVectorization = llvm::any_of(module, [](const llvm::Function& function) {
    return function.hasFnAttribute(TAGFLOW_NATIVE_VECTORS);
  });
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (passes == Passes::kInlining) {
    llvm::ModulePassManager inlining;
    inlining.addPass(llvm::ModuleInlinerWrapperPass());
    inlining.addPass(llvm::GlobalDCEPass());
    inlining.run(module, modules);
  } else {
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
  }
}

}  // namespace tagflow::native
