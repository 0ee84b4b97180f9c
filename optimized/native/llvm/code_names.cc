#include "optimized/native/llvm/code_names.h"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/DebugObjectManagerPlugin.h>
#include <llvm/ExecutionEngine/Orc/EPCDebugObjectRegistrar.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace {

constexpr char kVariable[] = "TAGFLOW_NATIVE_NAMES";
constexpr char kFolder[] = "/tmp";  // where perf looks

// Writes a line for each function: where it begins, how long it is, what it is called.
class PerfMap : public llvm::orc::ObjectLinkingLayer::Plugin {
 public:
  void modifyPassConfig(llvm::orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&,
                        llvm::jitlink::PassConfiguration& passes) override {
    // Functions that nobody refers to by name keep theirs.
    passes.PrePrunePasses.push_back([](llvm::jitlink::LinkGraph& graph) {
      for (llvm::jitlink::Symbol* const symbol : graph.defined_symbols()) {
        if (symbol->hasName() && symbol->isCallable()) symbol->setLive(true);
      }
      return llvm::Error::success();
    });
    passes.PostFixupPasses.push_back([this](llvm::jitlink::LinkGraph& graph) {
      Write(graph);
      return llvm::Error::success();
    });
  }
  llvm::Error notifyFailed(llvm::orc::MaterializationResponsibility&) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib&, llvm::orc::ResourceKey,
                                   llvm::orc::ResourceKey) override {}

 private:
  void Write(llvm::jitlink::LinkGraph& graph) {
    std::lock_guard lock(mutex_);
    const std::string path = std::string(kFolder) + "/perf-" + std::to_string(getpid()) + ".map";
    std::FILE* const file = std::fopen(path.c_str(), "a");
    if (file == nullptr) return;
    for (const llvm::jitlink::Symbol* const symbol : graph.defined_symbols()) {
      if (!symbol->hasName() || !symbol->isCallable()) continue;
      const std::string name = symbol->getName().str();
      std::fprintf(file, "%" PRIx64 " %" PRIx64 " %s\n", symbol->getAddress().getValue(),
                   static_cast<uint64_t>(symbol->getSize()), name.c_str());
    }
    std::fclose(file);
  }

  std::mutex mutex_;
};

}  // namespace

void NameCode(llvm::orc::LLJIT& jit) {
  auto* const layer = llvm::dyn_cast<llvm::orc::ObjectLinkingLayer>(&jit.getObjLinkingLayer());
  if (std::getenv(kVariable) == nullptr || layer == nullptr) return;
  layer->addPlugin(std::make_unique<PerfMap>());
  llvm::orc::ExecutionSession& session = jit.getExecutionSession();
  const auto tell = llvm::orc::ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderGDBWrapper);
  layer->addPlugin(std::make_unique<llvm::orc::DebugObjectManagerPlugin>(
      session, std::make_unique<llvm::orc::EPCDebugObjectRegistrar>(session, tell),
      /*RequireDebugSections=*/false, /*AutoRegisterCode=*/true));
}
