#ifndef TAGFLOW_GRAPH_DEVICE_CATALOG_H_
#define TAGFLOW_GRAPH_DEVICE_CATALOG_H_

// What placement must know of an engine: the devices there are, and which ops have a kernel on
// which kind of device for which dtype. Plain data that an engine fills in; nothing here runs
// anything.
//
// Thread safety: const access from any thread.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "graph/dtype.h"
#include "graph/tensor.h"

namespace tagflow {

struct DeviceInfo {
  std::string name;  // "/device:CPU:0"
  std::string kind;  // "CPU", "CUDA", "SIM"
  MemoryKind memory = MemoryKind::kHost;
  int64_t memory_bytes = 0;  // 0: no limit known
};

class DeviceCatalog {
 public:
  // False, and nothing changes, when there is a device of that name.
  bool AddDevice(DeviceInfo device);
  // In the order they were added; the first is where nodes go that ask for no device.
  const std::vector<DeviceInfo>& devices() const { return devices_; }
  // Null when there is none.
  const DeviceInfo* Find(std::string_view name) const;

  // kInvalid stands for every dtype (and for ops without one, such as NoOp).
  void AddKernel(std::string_view op, std::string_view kind, DType dtype);
  bool HasKernel(std::string_view op, std::string_view kind, DType dtype) const;
  // The kinds of the devices there are that have a kernel, in the order of the devices, each once.
  std::vector<std::string> KindsFor(std::string_view op, DType dtype) const;

 private:
  std::vector<DeviceInfo> devices_;
  std::set<std::tuple<std::string, std::string, DType>, std::less<>> kernels_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_DEVICE_CATALOG_H_
