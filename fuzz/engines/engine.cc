#include "fuzz/engines/engine.h"

namespace tagflow::fuzz {

Result<std::unique_ptr<EngineSession>> Engine::OpenPlaced(Graph, const Placement&, uint64_t) const {
  return Unimplemented("this engine is not placed by its caller");
}

Result<OwnKernelRun> Engine::RunWithOwnKernels(Graph, const reference::NamedTensors&,
                                               const std::vector<std::string>&,
                                               const std::vector<std::string>&) const {
  return Unimplemented("these sessions take no kernels");
}

}  // namespace tagflow::fuzz
