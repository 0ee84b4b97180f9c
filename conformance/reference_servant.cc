#include "conformance/reference_servant.h"

#include "conformance/session_servant.h"
#include "reference/session.h"
#include "reference/tape/function_gradient.h"

namespace tagflow::conformance {
namespace {

class ReferenceServant : public SessionServant<reference::Session, reference::RunOptions> {
 public:
  explicit ReferenceServant(const OpLibrary& library)
      : SessionServant("reference", *library.ops), kernels_(library.reference_kernels) {}

 private:
  Result<std::unique_ptr<reference::Session>> Create(Graph graph, std::vector<std::string> devices,
                                                     const Options&) override {
    reference::SessionOptions options;
    options.kernels = kernels_;
    options.devices = std::move(devices);
    options.differentiate = reference::GradientOfFunction;
    return reference::Session::Create(std::move(graph), options);
  }

  const reference::KernelRegistry* const kernels_;
};

}  // namespace

std::unique_ptr<Servant> MakeReferenceServant(const OpLibrary& library) {
  return std::make_unique<ReferenceServant>(library);
}

}  // namespace tagflow::conformance
