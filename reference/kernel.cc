#include "reference/kernel.h"

#include <algorithm>
#include <utility>

namespace tagflow::reference {

Status KernelRegistry::Register(std::string_view op, Kernel kernel) {
  auto [place, added] =
      kernels_.try_emplace(std::string(op), std::make_unique<Kernel>(std::move(kernel)));
  if (!added) return AlreadyExists("op '" + std::string(op) + "' has two reference kernels");
  return Status();
}

const Kernel* KernelRegistry::Find(std::string_view op) const {
  auto found = kernels_.find(std::string(op));
  return found == kernels_.end() ? nullptr : found->second.get();
}

std::vector<std::string> KernelRegistry::Ops() const {
  std::vector<std::string> ops;
  ops.reserve(kernels_.size());
  for (const auto& [op, kernel] : kernels_) ops.push_back(op);
  std::sort(ops.begin(), ops.end());
  return ops;
}

}  // namespace tagflow::reference
