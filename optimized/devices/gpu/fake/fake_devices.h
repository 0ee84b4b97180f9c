#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_DEVICES_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_DEVICES_H_

// The GPUs of the fake: which is selected, whose memory is whose, and who reaches it. Memory of
// none of them is the host's, which all reach.
//
// Thread safety: any thread; each has a selection of its own. Tested by fake_cuda_test.cc.

#include <cuda_runtime.h>

#include <cstddef>

namespace tagflow::optimized::fake_cuda {

constexpr int kHost = -1;

int SelectedDevice();

// Memory of the selected GPU.
void AddBlock(const void* block, size_t bytes);
void RemoveBlock(const void* block);
// Whose memory the address is in, and where its block begins: null of the host's.
int DeviceOf(const void* address);
const void* BlockOf(const void* address);
// Whether kernels of the GPU, and its own copies, reach the memory that an address is in.
bool Reaches(int device, const void* address);
// Whether one GPU has been let reach another's memory.
bool ReachesPeer(int device, int peer);

// As CUDA has them.
cudaError_t SelectDevice(int device);
cudaError_t CanAccessPeer(int* can, int device, int peer);
cudaError_t EnablePeerAccess(int peer);  // of the selected one
int NumDevices();

}  // namespace tagflow::optimized::fake_cuda

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_DEVICES_H_
