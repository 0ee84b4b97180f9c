#ifndef TAGFLOW_THIRD_PARTY_CUDA_MULTIPLY_ADD_H_
#define TAGFLOW_THIRD_PARTY_CUDA_MULTIPLY_ADD_H_

#include <string>

namespace tagflow {

// What this build and this machine have of CUDA.
struct CudaMachine {
  bool has_toolkit = false;  // nvcc was found when this was built
  int runtime_version = 0;   // of the library that is linked, as 1000 * major + 10 * minor
  int header_version = 0;    // of the headers it was compiled with
  int device_count = 0;      // 0 also where there is no driver
};

CudaMachine DescribeCudaMachine();

// The result of a computation on a device, or why there is none.
struct DeviceFloat {
  float value = 0;
  std::string error;  // empty: value holds
};

// a * b + c on the first device, each operation rounded.
// REQUIRES: nothing; without a device, the error says so.
DeviceFloat MultiplyAddOnDevice(float a, float b, float c);

}  // namespace tagflow

#endif  // TAGFLOW_THIRD_PARTY_CUDA_MULTIPLY_ADD_H_
