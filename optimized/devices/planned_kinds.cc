#include "optimized/devices/planned_kinds.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/stream_step.h"

namespace tagflow::optimized {
namespace {

struct NoMemory : DeviceMemory {
  void* Allocate(size_t) override { return nullptr; }
  void Deallocate(void*, size_t) override {}
  bool Holds(const Tensor&) const override { return false; }
  char* HostAddress(const Tensor&) const override { return nullptr; }
};

class StandIns : public DeviceGroup {
 public:
  StandIns(const std::vector<DeviceSite>& sites, bool has_streams, Status why)
      : has_streams_(has_streams), why_(std::move(why)) {
    for (const DeviceSite& site : sites) memories_[site.index];
  }
  DeviceMemory* memory(int device) const override { return &memories_.at(device); }
  std::unique_ptr<DeviceStep> NewStep(uint64_t) const override {
    return std::make_unique<StreamStep>(std::map<int, StreamSide>());
  }
  bool has_streams() const override { return has_streams_; }
  Status CheckAlive() const override { return why_; }

 private:
  mutable std::map<int, NoMemory> memories_;
  const bool has_streams_;
  const Status why_;
};

class PlannedKind : public DeviceKind {
 public:
  explicit PlannedKind(std::shared_ptr<const DeviceKind> kind) : kind_(std::move(kind)) {}

  std::string name() const override { return kind_->name(); }
  std::string help() const override { return kind_->help(); }
  Result<std::shared_ptr<const DeviceKind>> WithOptions(std::string_view text) const override {
    TAGFLOW_ASSIGN_OR_RETURN(auto kind, kind_->WithOptions(text));
    return std::shared_ptr<const DeviceKind>(std::make_shared<PlannedKind>(std::move(kind)));
  }
  const KernelRegistry* kernels() const override { return kind_->kernels(); }
  bool runs_host_kernels() const override { return kind_->runs_host_kernels(); }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    auto opened = kind_->Open(sites);
    if (opened.status().code() != Code::kFailedPrecondition) return opened;
    // Kernels of its own alone are what a kind of streams has.
    return std::unique_ptr<DeviceGroup>(
        std::make_unique<StandIns>(sites, !runs_host_kernels(), opened.status()));
  }

 private:
  const std::shared_ptr<const DeviceKind> kind_;
};

}  // namespace

DeviceKinds PlannedKinds(const DeviceKinds& kinds) {
  DeviceKinds planned;
  for (const auto& kind : kinds) planned.push_back(std::make_shared<PlannedKind>(kind));
  return planned;
}

}  // namespace tagflow::optimized
