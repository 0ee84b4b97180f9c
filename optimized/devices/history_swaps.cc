#include "optimized/devices/history_swaps.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "graph/device_access.h"

namespace tagflow::optimized {
namespace {

const char* AddressOf(const Tensor& tensor) {
  const DeviceAccess access;
  return static_cast<const char*>(tensor.raw_data());
}

}  // namespace

struct HistorySwaps::Home {
  Home(Allocator& from, const Tensor& tensor)
      : allocator(from),
        dtype(tensor.dtype()),
        dims(tensor.dims().begin(), tensor.dims().end()),
        bytes(tensor.byte_size()),
        address(static_cast<char*>(from.Allocate(bytes))) {}
  Home(const Home&) = delete;
  ~Home() {
    if (address != nullptr) allocator.Deallocate(address, bytes);
  }

  Allocator& allocator;
  const DType dtype;
  const Dims dims;
  const size_t bytes;
  char* const address;  // null: there was none
  const Step* step = nullptr;
  int64_t number = kNone;  // by order of pushing
  std::shared_ptr<DeviceEvent> before, is_out;
  // A copy on its way back that nobody has asked for yet.
  Tensor back;
  std::shared_ptr<DeviceEvent> is_back;
  bool is_forgotten = false;  // no tensor stands for it any more
};

class HistorySwaps::StandIn : public Allocator {
 public:
  StandIn(HistorySwaps& owner, HomePtr home) : owner_(owner), home_(std::move(home)) {}
  void* Allocate(size_t) override { return home_->address; }
  void Deallocate(void*, size_t) override {
    owner_.Forget(*home_);
    delete this;
  }
  MemoryKind memory_kind() const override { return MemoryKind::kDevice; }
  int device() const override { return owner_.parts_.memory.device(); }
  Status Read(const Tensor& tensor, void* to) const override {
    TAGFLOW_RETURN_IF_ERROR(home_->before->Await());
    TAGFLOW_RETURN_IF_ERROR(home_->is_out->Await());
    std::memcpy(to, AddressOf(tensor), tensor.byte_size());
    return Status();
  }

 private:
  HistorySwaps& owner_;
  const HomePtr home_;
};

Result<Tensor> HistorySwaps::StandInFor(const Tensor& tensor, const HomePtr& home) {
  auto allocator = std::make_unique<StandIn>(*this, home);
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor made, Tensor::AllocateUninitialized(tensor.dtype(), tensor.dims(), *allocator));
  allocator.release();  // it deletes itself with the tensor
  return made;
}

// ---- Out ----

Tensor HistorySwaps::Pushed(Step& step, const Tensor& tensor) {
  if (tensor.is_inline() || tensor.byte_size() == 0 || !parts_.memory.Holds(tensor)) return tensor;
  const auto bytes = static_cast<int64_t>(tensor.byte_size());
  {
    std::lock_guard lock(mutex_);
    step.next = kNone;
    LetDoneGo();
    if (parts_.memory.stats().bytes_resident - bytes_leaving_ <= bytes_kept_) return tensor;
  }
  const auto home = std::make_shared<Home>(parts_.home, tensor);
  if (home->address == nullptr) return tensor;
  Result<Tensor> stand_in = StandInFor(tensor, home);
  if (!stand_in.ok()) return tensor;
  std::lock_guard lock(mutex_);
  home->before = parts_.kernels.Record();  // which make it
  parts_.out.Wait(home->before);
  parts_.out.SwapOut(tensor, home->address);
  home->is_out = parts_.out.Record();
  home->step = &step;
  home->number = next_number_++;
  homes_[home->address] = home;
  pushed_[home->number] = home.get();
  leaving_.push_back({&step, home, tensor, home->before, home->is_out});
  bytes_leaving_ += bytes;
  ++step.moved_out;
  return *std::move(stand_in);
}

HistorySwaps::HomePtr HistorySwaps::Find(const Tensor& tensor) const {
  if (tensor.memory_kind() != MemoryKind::kDevice) return nullptr;
  const char* const address = AddressOf(tensor);
  const auto after = homes_.upper_bound(address);
  if (after == homes_.begin()) return nullptr;
  const HomePtr& home = std::prev(after)->second;
  return address < home->address + home->bytes ? home : nullptr;
}

bool HistorySwaps::IsOut(const Tensor& tensor) const {
  if (tensor.memory_kind() != MemoryKind::kDevice) return false;
  std::lock_guard lock(mutex_);
  return Find(tensor) != nullptr;
}

void HistorySwaps::Forget(Home& home) {
  std::lock_guard lock(mutex_);
  home.is_forgotten = true;
  LetGo(home);
  pushed_.erase(home.number);
  homes_.erase(home.address);
}

// ---- Back ----

std::shared_ptr<DeviceEvent> HistorySwaps::Start(Step& step, const HomePtr& home, const char* from,
                                                 const Tensor& there, const Streams& of_there) {
  const std::shared_ptr<DeviceEvent> before = of_there.kernels.Record();
  of_there.copies.Wait(before);  // which may use the memory until then
  of_there.copies.Wait(home->is_out);
  of_there.copies.SwapIn(from, there);
  std::shared_ptr<DeviceEvent> is_there = of_there.copies.Record();
  coming_.push_back({&step, home, Tensor(), before, is_there});
  ++step.moved_in;
  return is_there;
}

Result<Tensor> HistorySwaps::BringBack(Step& step, const Tensor& tensor) {
  const char* const address = AddressOf(tensor);
  HomePtr home;
  {
    std::lock_guard lock(mutex_);
    LetDoneGo();
    home = Find(tensor);
    const bool is_all = address == home->address && tensor.byte_size() == home->bytes;
    if (is_all && home->back.has_value()) {
      parts_.kernels.Wait(std::exchange(home->is_back, nullptr));
      const Tensor back = std::exchange(home->back, Tensor());
      return std::ranges::equal(back.dims(), tensor.dims()) ? back : back.Reshaped(tensor.dims());
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor there, Tensor::AllocateUninitialized(tensor.dtype(), tensor.dims(), parts_.memory));
  std::lock_guard lock(mutex_);
  parts_.kernels.Wait(Start(step, home, address, there, {parts_.kernels, parts_.in}));
  return there;
}

void HistorySwaps::CopyTo(Step& step, const Tensor& tensor, const Tensor& there,
                          const Streams& of_there) {
  std::lock_guard lock(mutex_);
  LetDoneGo();
  of_there.kernels.Wait(Start(step, Find(tensor), AddressOf(tensor), there, of_there));
}

void HistorySwaps::Taken(Step& step, const Tensor& tensor) {
  {
    std::lock_guard lock(mutex_);
    LetDoneGo();
    const HomePtr home = Find(tensor);
    const bool is_known = home != nullptr && home->step == &step && !home->is_forgotten;
    if (is_known && (step.next == kNone || home->number < step.next)) step.next = home->number + 1;
  }
  while (const HomePtr next = NextBack(step)) {
    if (!BringBackEarly(step, next)) return;
  }
}

// Of what the step will take next, the first that is out, if there is room for it.
HistorySwaps::HomePtr HistorySwaps::NextBack(Step& step) {
  std::lock_guard lock(mutex_);
  if (step.next == kNone) return nullptr;
  for (auto at = pushed_.lower_bound(step.next); at != pushed_.begin();) {
    Home& home = *(--at)->second;
    if (home.step != &step || home.back.has_value()) continue;
    if (!HasRoomFor(home.bytes)) return nullptr;
    step.next = home.number;
    return homes_.at(home.address);
  }
  step.next = 0;
  return nullptr;
}

// Whether there was memory for it.
bool HistorySwaps::BringBackEarly(Step& step, const HomePtr& home) {
  const Result<Tensor> there =
      Tensor::AllocateUninitialized(home->dtype, home->dims, parts_.memory);
  if (!there.ok()) return false;
  std::lock_guard lock(mutex_);
  if (home->is_forgotten || home->back.has_value()) return true;
  home->is_back = Start(step, home, home->address, *there, {parts_.kernels, parts_.in});
  home->back = *there;
  return true;
}

// ---- Memory of the device that nobody needs ----

void HistorySwaps::LetGo(Home& home) {
  if (!home.back.has_value()) return;
  parts_.kernels.Wait(std::exchange(home.is_back, nullptr));
  home.back = Tensor();
  ++num_let_go_;
}

void HistorySwaps::LetFirstGo(std::deque<OnItsWay>& copies) {
  const OnItsWay& first = copies.front();
  for (const auto& event : {first.before, first.done}) {
    Status error = event->Await();
    if (first.step->error.ok()) first.step->error = std::move(error);
  }
  if (first.leaves.has_value()) {
    bytes_leaving_ -= static_cast<int64_t>(first.leaves.byte_size());
    ++num_let_go_;
  }
  copies.pop_front();
}

void HistorySwaps::LetDoneGo() {
  for (auto* const copies : {&leaving_, &coming_}) {
    while (!copies->empty() && copies->front().done->HasCome()) LetFirstGo(*copies);
  }
}

int64_t HistorySwaps::num_let_go() const {
  std::lock_guard lock(mutex_);
  return num_let_go_;
}

bool HistorySwaps::MakeRoom(int64_t num_let_go) {
  std::lock_guard lock(mutex_);
  if (num_let_go != num_let_go_) return true;
  if (!leaving_.empty()) {
    LetFirstGo(leaving_);
    return true;
  }
  // What will be taken last.
  const auto early =
      std::ranges::find_if(pushed_, [](const auto& each) { return each.second->back.has_value(); });
  if (early == pushed_.end()) return false;
  LetGo(*early->second);
  return true;
}

Status HistorySwaps::End(Step& step) {
  std::lock_guard lock(mutex_);
  for (auto* const copies : {&leaving_, &coming_}) {
    while (!copies->empty()) LetFirstGo(*copies);
  }
  std::erase_if(pushed_, [&](const auto& each) {
    Home& home = *each.second;
    if (home.step != &step) return false;
    LetGo(home);
    home.step = nullptr;
    return true;
  });
  return step.error;
}

}  // namespace tagflow::optimized
