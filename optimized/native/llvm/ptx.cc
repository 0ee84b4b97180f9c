#include "optimized/native/llvm/ptx.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>

#include <memory>

#include "optimized/native/llvm/modules.h"
#include "optimized/native/llvm/tagflow_native.h"

// The bitcode of CUDA's mathematical functions; of no bytes without a toolkit.
extern "C" const unsigned char tagflow_native_libdevice[];
extern "C" const size_t tagflow_native_libdevice_size;

namespace tagflow::native {
namespace {

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> GpuMachine() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  constexpr char kTriple[] = "nvptx64-nvidia-cuda";
  std::string error;
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  if (target == nullptr) return llvm::createStringError(error);
  llvm::TargetOptions options;
  // "add.rn" and "mul.rn", which no assembler makes one of.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      kTriple, TAGFLOW_NATIVE_PTX, /*Features=*/"", options, std::nullopt));
}

// Whether a GPU has the function, which is defined nowhere. Of an intrinsic that it has not, such
// as a logarithm, LLVM would make no code, and end the process.
bool IsOfGpu(const llvm::Function& function) {
  if (function.getName().starts_with("llvm.nvvm.")) return true;
  switch (function.getIntrinsicID()) {
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
    case llvm::Intrinsic::is_fpclass:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
      return true;
    default:
      return false;
  }
}

// What CUDA calls a function: "__nv_log" what is "log" to the host, and "llvm.log.f64" to LLVM.
std::string NameInCuda(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  const bool is_intrinsic = name.consume_front("llvm.");
  const bool is_of_floats = is_intrinsic && name.ends_with(".f32");
  return ("__nv_" + name.split('.').first + (is_of_floats ? "f" : "")).str();
}

// Functions that a GPU has not itself become CUDA's, as they are in code that nvcc compiles.
llvm::Error LinkCuda(llvm::Module& module) {
  if (tagflow_native_libdevice_size == 0) return llvm::Error::success();
  llvm::SmallVector<llvm::Function*> others;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() && !IsOfGpu(function)) others.push_back(&function);
  }
  if (others.empty()) return llvm::Error::success();
  for (llvm::Function* const other : others) {
    llvm::FunctionCallee own =
        module.getOrInsertFunction(NameInCuda(*other), other->getFunctionType());
    other->replaceAllUsesWith(own.getCallee());
    other->eraseFromParent();
  }
  const auto* const bytes = reinterpret_cast<const char*>(tagflow_native_libdevice);
  const llvm::StringRef bitcode(bytes, tagflow_native_libdevice_size);
  return LinkFrom(llvm::getLazyBitcodeModule({bitcode, "libdevice"}, module.getContext()), module);
}

}  // namespace

llvm::Expected<std::string> PtxOf(llvm::StringRef source) {
  auto machine = GpuMachine();
  if (!machine) return machine.takeError();
  llvm::LLVMContext context;
  auto module = WithBodies(source, "kernel", (*machine)->createDataLayout(),
                           (*machine)->getTargetTriple(), context);
  if (!module) return module.takeError();
  if (llvm::Error error = LinkCuda(**module)) return error;
  RunPasses(**module, Passes::kAll, **machine);
  for (const llvm::Function& function : **module) {
    if (function.isDeclaration() && !IsOfGpu(function)) {
      return llvm::createStringError("no GPU has the function " + function.getName());
    }
  }
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile)) {
    return llvm::createStringError("LLVM writes no PTX");
  }
  passes.run(**module);
  return text.str().str();
}

}  // namespace tagflow::native
