#include "optimized/devices/gpu/cuda_stream.h"

#include <cstring>
#include <utility>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_program.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/gpu_element_kernel.h"

namespace tagflow::optimized {
namespace {

constexpr const char* kWhat = "running what was enqueued on a GPU";

}  // namespace

CudaEvent::CudaEvent(int ordinal) : ordinal_(ordinal) {
  Note(Cuda().set_device(ordinal_));
  Note(Cuda().event_create(&event_, cudaEventDisableTiming));
}

CudaEvent::~CudaEvent() {
  if (event_ != nullptr) (void)Cuda().event_destroy(event_);
}

void CudaEvent::Note(cudaError_t error) {
  if (failed_ == cudaSuccess) failed_ = error;
}

void CudaEvent::RecordOn(cudaStream_t stream) {
  if (failed_ == cudaSuccess) Note(Cuda().event_record(event_, stream));
}

cudaError_t CudaEvent::HoldUp(cudaStream_t stream) {
  if (failed_ == cudaSuccess) Note(Cuda().stream_wait_event(stream, event_, 0));
  return failed_;
}

Status CudaEvent::Await() {
  const cudaError_t error = failed_ != cudaSuccess ? failed_ : Cuda().event_synchronize(event_);
  return CudaStatus(error, kWhat);
}

bool CudaEvent::HasCome() {
  if (failed_ != cudaSuccess) return true;
  const cudaError_t error = Cuda().event_query(event_);
  if (error != cudaSuccess) (void)Cuda().get_last_error();  // else the next call would tell it
  return error != cudaErrorNotReady;
}

CudaStream::CudaStream(CudaMemory& memory, cudaStream_t stream, DeviceMemory* allocator)
    : memory_(memory), allocator_(allocator != nullptr ? allocator : &memory), stream_(stream) {}

CudaStream::~CudaStream() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void CudaStream::Select() { Note(Cuda().set_device(memory_.ordinal())); }

void CudaStream::Note(cudaError_t error) {
  if (error == cudaSuccess) return;
  (void)Cuda().get_last_error();  // it is noted here, and none of the next call
  std::lock_guard lock(mutex_);
  if (failed_ == cudaSuccess) failed_ = error;
}

void CudaStream::CopyIn(Tensor host, Tensor there) {
  const size_t bytes = host.byte_size();
  if (bytes == 0) return;
  Select();
  void* const staged = PinnedBlocks().Take(bytes);
  const void* const from = staged != nullptr ? staged : host.raw_data();
  if (staged != nullptr) std::memcpy(staged, host.raw_data(), bytes);
  Note(Cuda().memcpy_async(CudaMemory::Address(there), from, bytes, cudaMemcpyHostToDevice,
                           stream_));
  Keep({std::move(host), std::move(there)}, staged);
}

void CudaStream::CopyOut(Tensor there, Tensor host) {
  const size_t bytes = there.byte_size();
  if (bytes == 0) return;
  Select();
  void* const staged = PinnedBlocks().Take(bytes);
  void* const home = const_cast<void*>(host.raw_data());
  void* const to = staged != nullptr ? staged : home;
  Note(Cuda().memcpy_async(to, CudaMemory::Address(there), bytes, cudaMemcpyDeviceToHost, stream_));
  AddTurn([staged, home, bytes, host = std::move(host), there = std::move(there)](Status error) {
    if (staged == nullptr) return;
    if (error.ok()) std::memcpy(home, staged, bytes);
    PinnedBlocks().GiveBack(staged);
  });
}

void CudaStream::CopyAcross(Tensor from, const DeviceMemory& of, Tensor there) {
  Select();
  Note(Cuda().memcpy_peer_async(CudaMemory::Address(there), ordinal(), CudaMemory::Address(from),
                                static_cast<const CudaMemory&>(of).ordinal(), from.byte_size(),
                                stream_));
  Keep({std::move(from)});
}

void CudaStream::SwapIn(const void* home, const Tensor& there) {
  Select();
  Note(Cuda().memcpy_async(CudaMemory::Address(there), home, there.byte_size(),
                           cudaMemcpyHostToDevice, stream_));
}

void CudaStream::SwapOut(const Tensor& there, void* home) {
  Select();
  Note(Cuda().memcpy_async(home, CudaMemory::Address(there), there.byte_size(),
                           cudaMemcpyDeviceToHost, stream_));
}

void CudaStream::Then(std::function<void(Status error)> what) {
  Select();
  AddTurn(std::move(what));
}

std::shared_ptr<DeviceEvent> CudaStream::Record() {
  Select();
  return RecordEvent();
}

std::shared_ptr<CudaEvent> CudaStream::RecordEvent(Errors errors) {
  auto event = std::make_shared<CudaEvent>(memory_.ordinal());
  if (errors == Errors::kTold) {
    std::lock_guard lock(mutex_);
    event->Note(failed_);
    if (!LosesGpu(failed_)) failed_ = cudaSuccess;
  }
  event->RecordOn(stream_);
  return event;
}

void CudaStream::Wait(std::shared_ptr<DeviceEvent> event) {
  Select();
  Note(static_cast<CudaEvent&>(*event).HoldUp(stream_));
}

Result<std::shared_ptr<const ElementKernel>> CudaStream::NewElementKernel(
    const ElementProgram& program, const std::vector<int>& outputs) {
  Select();
  return NewGpuElementKernel(program, outputs);
}

std::unique_ptr<DeviceProgram> CudaStream::NewProgram() {
  return Cuda().graphs == nullptr ? nullptr : std::make_unique<CudaProgram>(memory_, stream_);
}

void CudaStream::Keep(std::vector<Tensor> tensors, void* staged) {
  AddTurn(
      [staged, tensors = std::move(tensors)](const Status&) {
        if (staged != nullptr) PinnedBlocks().GiveBack(staged);
      },
      Errors::kLeft);
}

void CudaStream::AddTurn(std::function<void(Status error)> what, Errors errors) {
  auto after = RecordEvent(errors);
  std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { Work(); });
  turns_.push_back({std::move(after), std::move(what)});
  ++turns_added_;
  changed_.notify_one();
}

void CudaStream::Work() {
  while (true) {
    Turn turn;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !turns_.empty(); });
      if (turns_.empty()) return;
      turn = std::move(turns_.front());
      turns_.pop_front();
    }
    turn.what(turn.after->Await());
    turn = {};  // with the tensors it kept
    std::lock_guard lock(mutex_);
    ++turns_ended_;
    turn_ended_.notify_all();
  }
}

void CudaStream::Settle() {
  std::unique_lock lock(mutex_);
  // Not those that other steps add meanwhile.
  turn_ended_.wait(lock, [this, last = turns_added_] { return turns_ended_ >= last; });
}

}  // namespace tagflow::optimized
