#ifndef TAGFLOW_GRAPH_DEVICE_ACCESS_H_
#define TAGFLOW_GRAPH_DEVICE_ACCESS_H_

// Who may ask for an address in a device's memory: the device. Tensor::data and raw_data refuse
// memory that is not the host's, so that a mistake of host code is an error and not a crash; while
// a DeviceAccess lives on a thread, they give such addresses too. What is there only the device can
// read.

namespace tagflow {

// Defined with Tensor, in tensor.cc.
void OpenDeviceAccess();
void CloseDeviceAccess();

class DeviceAccess {
 public:
  DeviceAccess() { OpenDeviceAccess(); }
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;
  ~DeviceAccess() { CloseDeviceAccess(); }
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_DEVICE_ACCESS_H_
