#include "optimized/native/llvm/tagflow_native.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "optimized/native/llvm/code_names.h"
#include "optimized/native/llvm/modules.h"
#include "optimized/native/llvm/ptx.h"

struct tagflow_native_code {
  llvm::orc::ResourceTrackerSP tracker;
  llvm::orc::JITDylib* library = nullptr;
};

namespace {

using llvm::orc::LLJIT;
using tagflow::native::LazyBodies;
using tagflow::native::Passes;
using tagflow::native::PtxOf;
using tagflow::native::WithBodies;

constexpr char kNoTarget[] = "LLVM has no target for this processor";

std::string MessageOf(llvm::Error error) { return llvm::toString(std::move(error)); }

// The name of a module that is compiled quickly.
constexpr char kQuickly[] = "quickly";

// AVX-512, which has more registers for vectors of 256 bits, too.
constexpr char kAvx512[] = "+avx512f,+avx512vl,+avx512dq,+avx512bw";
bool HasAvx512(const llvm::orc::JITTargetMachineBuilder& host) {
  return llvm::is_contained(host.getFeatures().getFeatures(), "+avx512vl");
}
void UseAvx512(llvm::Function& function) {
  const auto vectors = function.getFnAttribute(TAGFLOW_NATIVE_VECTORS).getValueAsString();
  function.addFnAttr("target-features", kAvx512);
  function.addFnAttr("prefer-vector-width", vectors == TAGFLOW_NATIVE_LONG_VECTORS ? "512" : "256");
}

// LLVM's descriptions of this processor, which take a millisecond or two to make. One serves one
// thread at a time, and is kept for the next.
class TargetMachines {
 public:
  explicit TargetMachines(const llvm::orc::JITTargetMachineBuilder& host) : host_(host) {}

  // REQUIRES: it is given back with the same `quickly`
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> Take(bool quickly) {
    {
      std::lock_guard lock(mutex_);
      if (auto& kept = kept_[quickly]; kept != nullptr) return std::move(kept);
    }
    llvm::orc::JITTargetMachineBuilder builder = host_;
    builder.setCodeGenOptLevel(quickly ? llvm::CodeGenOptLevel::None
                                       : llvm::CodeGenOptLevel::Default);
    return builder.createTargetMachine();
  }
  void Give(bool quickly, std::unique_ptr<llvm::TargetMachine> machine) {
    std::lock_guard lock(mutex_);
    kept_[quickly] = std::move(machine);
  }

 private:
  const llvm::orc::JITTargetMachineBuilder host_;
  std::mutex mutex_;
  std::unique_ptr<llvm::TargetMachine> kept_[2];  // by `quickly`; guarded by mutex_
};

// Machine code of one module.
class ModuleCompiler : public llvm::orc::IRCompileLayer::IRCompiler {
 public:
  ModuleCompiler(const llvm::orc::JITTargetMachineBuilder& host, TargetMachines& machines)
      : IRCompiler(llvm::orc::irManglingOptionsFromTargetOptions(host.getOptions())),
        machines_(machines) {}

  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module& module) override {
    const bool quickly = module.getModuleIdentifier() == kQuickly;
    auto machine = machines_.Take(quickly);
    if (!machine) return machine.takeError();
    auto object = llvm::orc::SimpleCompiler(**machine)(module);
    machines_.Give(quickly, std::move(*machine));
    return object;
  }

 private:
  TargetMachines& machines_;
};

// The compiler of a process. It is made once and never taken down, since machine code may run while
// the process ends.
class Compiler {
 public:
  // Null where LLVM has no target for this processor.
  static Compiler* Get() {
    static Compiler* const compiler = [] {
      llvm::Expected<Compiler*> made = Make();
      if (made) return *made;
      llvm::consumeError(made.takeError());
      return static_cast<Compiler*>(nullptr);
    }();
    return compiler;
  }

  bool HasBody(llvm::StringRef name) const { return names_.contains(name); }

  // The module with the bodies that it calls, after LLVM's passes.
  llvm::Expected<std::unique_ptr<llvm::Module>> Optimized(llvm::StringRef source, bool quickly,
                                                          llvm::LLVMContext& context) {
    auto module = WithBodies(source, quickly ? kQuickly : "loop", jit_->getDataLayout(),
                             jit_->getTargetTriple(), context);
    if (!module) return module;
    for (llvm::Function& function : **module) {
      if (has_avx512_ && function.hasFnAttribute(TAGFLOW_NATIVE_VECTORS)) UseAvx512(function);
    }
    if (llvm::Error error = RunPasses(**module, quickly)) return error;
    return module;
  }

  llvm::Expected<tagflow_native_code*> Compile(llvm::StringRef source, bool quickly) {
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = Optimized(source, quickly, *context);
    if (!module) return module.takeError();
    auto code = std::make_unique<tagflow_native_code>();
    // Each source has a library of its own: their functions may have the same names.
    auto library = jit_->createJITDylib("loop" + std::to_string(number_++));
    if (!library) return library.takeError();
    library->addToLinkOrder(jit_->getProcessSymbolsJITDylib().operator*());
    code->library = &*library;
    code->tracker = library->createResourceTracker();
    if (llvm::Error error = jit_->addIRModule(
            code->tracker, llvm::orc::ThreadSafeModule(std::move(*module), std::move(context)))) {
      return error;
    }
    return code.release();
  }

  llvm::Expected<void*> Find(const tagflow_native_code& code, llvm::StringRef name) {
    auto address = jit_->lookup(*code.library, name);
    if (!address) return address.takeError();
    return address->toPtr<void*>();
  }

  void Release(tagflow_native_code& code) {
    llvm::consumeError(code.tracker->remove());
    code.tracker = nullptr;
    llvm::consumeError(jit_->getExecutionSession().removeJITDylib(*code.library));
  }

 private:
  static llvm::Expected<Compiler*> Make() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    if (!SetOptions()) return llvm::createStringError("LLVM does not know its options");
    auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!host) return host.takeError();
    // Calls that keep all registers (native/cells.h) keep 2 KiB of them where there is AVX-512, of
    // which code for scalars uses none.
    const bool has_avx512 = HasAvx512(*host);
    host->addFeatures({"-avx512f"});
    // No contraction: results are those of the kernels.
    host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    // A short loop in few lines of decoded instructions (fizzbuzz: 0.62 to 0.83 ns by where it
    // lies; 0.62 to 0.64 so).
    host->getOptions().LoopAlignment = 32;
    auto machines = std::make_unique<TargetMachines>(*host);
    // Each compilation is done by the thread that asks for it: a thread of LLVM's would be none of
    // a forked process.
    auto jit =
        llvm::orc::LLJITBuilder()
            .setJITTargetMachineBuilder(*host)
            .setSupportConcurrentCompilation(false)
            .setCompileFunctionCreator(
                [&machines = *machines](const llvm::orc::JITTargetMachineBuilder& builder)
                    -> llvm::Expected<std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler>> {
                  return std::make_unique<ModuleCompiler>(builder, machines);
                })
            .create();
    if (!jit) return jit.takeError();
    NameCode(**jit);
    return new Compiler(std::move(machines), std::move(*jit), has_avx512);
  }

  static bool SetOptions() {
    // Loop strength reduction takes x % 15 == 0 for a difference of two counters, which hides it
    // from the code generator (fizzbuzz: 1.25 ns instead of 0.73), and keeps a counter more
    // (scalar: 0.32 instead of 0.26).
    constexpr std::array kOptions = {"tagflow", "-disable-lsr"};
    return llvm::cl::ParseCommandLineOptions(kOptions.size(), kOptions.data(), "", &llvm::nulls());
  }

  Compiler(std::unique_ptr<TargetMachines> machines, std::unique_ptr<LLJIT> jit, bool has_avx512)
      : machines_(std::move(machines)), jit_(std::move(jit)), has_avx512_(has_avx512) {
    llvm::LLVMContext context;
    auto bodies = LazyBodies(context);
    if (!bodies) {
      llvm::consumeError(bodies.takeError());
      return;
    }
    for (const llvm::Function& function : **bodies) {
      if (!function.isDeclaration()) names_.insert(function.getName());
    }
  }

  llvm::Error RunPasses(llvm::Module& module, bool quickly) {
    auto machine = machines_->Take(quickly);
    if (!machine) return machine.takeError();
    tagflow::native::RunPasses(module, quickly ? Passes::kInlining : Passes::kAll, **machine);
    machines_->Give(quickly, std::move(*machine));
    return llvm::Error::success();
  }

  const std::unique_ptr<TargetMachines> machines_;
  const std::unique_ptr<LLJIT> jit_;
  const bool has_avx512_;
  llvm::StringSet<> names_;  // of the bodies
  std::atomic<uint64_t> number_ = 0;
};

char* Copied(const std::string& text) {
  auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

}  // namespace

extern "C" {

int tagflow_native_version(void) { return TAGFLOW_NATIVE_VERSION; }

int tagflow_native_has_body(const char* name) {
  const Compiler* const compiler = Compiler::Get();
  return compiler != nullptr && compiler->HasBody(name) ? 1 : 0;
}

tagflow_native_code* tagflow_native_compile(const char* source, size_t size, int quickly,
                                            char** error) {
  Compiler* const compiler = Compiler::Get();
  if (compiler == nullptr) {
    *error = Copied(kNoTarget);
    return nullptr;
  }
  auto code = compiler->Compile({source, size}, quickly != 0);
  if (code) return *code;
  *error = Copied(MessageOf(code.takeError()));
  return nullptr;
}

void* tagflow_native_function(const tagflow_native_code* code, const char* name) {
  auto function = Compiler::Get()->Find(*code, name);
  if (function) return *function;
  llvm::consumeError(function.takeError());
  return nullptr;
}

void tagflow_native_release(tagflow_native_code* code) {
  if (code == nullptr) return;
  Compiler::Get()->Release(*code);
  delete code;
}

char* tagflow_native_optimized(const char* source, size_t size, int quickly, char** error) {
  Compiler* const compiler = Compiler::Get();
  if (compiler == nullptr) {
    *error = Copied(kNoTarget);
    return nullptr;
  }
  llvm::LLVMContext context;
  auto module = compiler->Optimized({source, size}, quickly != 0, context);
  if (!module) {
    *error = Copied(MessageOf(module.takeError()));
    return nullptr;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  return Copied(text);
}

char* tagflow_native_ptx(const char* source, size_t size, char** error) {
  auto text = PtxOf({source, size});
  if (text) return Copied(*text);
  *error = Copied(MessageOf(text.takeError()));
  return nullptr;
}

void tagflow_native_free(char* text) { std::free(text); }

}  // extern "C"
