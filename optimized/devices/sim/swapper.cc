#include "optimized/devices/sim/swapper.h"

#include <algorithm>
#include <utility>

namespace tagflow::optimized {

using Place = SimBlock::Place;

class Swapper::OutJob : public StreamJob {
 public:
  OutJob(Swapper& owner, SimBlockPtr block) : owner_(owner), block_(std::move(block)) {}
  bool Begin() override { return true; }
  int64_t duration_ns() override { return owner_.copy_time_(block_->bytes); }
  bool End() override {
    owner_.leaving_ -= static_cast<int64_t>(block_->bytes);
    owner_.moved_out_ += owner_.memory_.EndMoveOut(*block_);  // not if it is wanted again, or gone
    return true;
  }
  void GiveUp() override {}

 private:
  Swapper& owner_;
  const SimBlockPtr block_;
};

class Swapper::InJob : public StreamJob {
 public:
  InJob(Swapper& owner, SimBlockPtr block, bool has_room)
      : owner_(owner), block_(std::move(block)), has_room_(has_room) {}
  bool Begin() override {
    if (has_room_ || owner_.memory_.PlaceOf(*block_) == Place::kFreed) return true;
    if (owner_.memory_.BeginMoveIn(*block_)) return true;
    owner_.MakeRoom(block_->bytes);
    return false;
  }
  int64_t duration_ns() override { return owner_.copy_time_(block_->bytes); }
  bool End() override {
    owner_.moved_in_ += owner_.memory_.EndMoveIn(*block_);
    owner_.coming_.erase(block_.get());
    return true;
  }
  void GiveUp() override { owner_.coming_.erase(block_.get()); }

 private:
  Swapper& owner_;
  const SimBlockPtr block_;
  const bool has_room_;  // it was made when the job was
};

Swapper::Swapper(SimMemory& memory, Stream& out, Stream& in, CopyTime copy_time, bool swaps,
                 double share)
    : memory_(memory),
      out_(out),
      in_(in),
      copy_time_(std::move(copy_time)),
      swaps_(swaps),
      share_(share) {}

void Swapper::Pushed(const SimBlockPtr& block) {
  if (!swaps_) return;
  taken_ = SimBlock::kNone;
  if (block->history != SimBlock::kNone) pushed_.erase(block->history);
  block->history = next_++;
  pushed_.emplace(block->history, block);
}

void Swapper::Taken(const SimBlockPtr& block) {
  if (block->history != SimBlock::kNone) taken_ = block->history;
}

bool Swapper::Bring(const SimBlockPtr& block) {
  if (memory_.Pin(*block)) return true;
  if (!coming_.contains(block.get())) Fetch(block, false);
  return false;
}

void Swapper::Fetch(const SimBlockPtr& block, bool has_room) {
  oldest_ = std::min(oldest_, block->history);
  coming_.emplace(block.get(), block);
  in_.Add(std::make_unique<InJob>(*this, block, has_room));
}

bool Swapper::MakeRoom(size_t bytes) {
  while (leaving_ < static_cast<int64_t>(bytes)) {
    if (!SendOldest()) break;
  }
  return leaving_ > 0;
}

bool Swapper::SendOldest() {
  bool all_out = true;  // of those passed
  for (auto at = pushed_.lower_bound(oldest_); at != pushed_.end();) {
    const SimBlockPtr block = at->second.lock();
    if (block == nullptr) {
      at = pushed_.erase(at);
      continue;
    }
    if (memory_.BeginMoveOut(*block)) {
      leaving_ += static_cast<int64_t>(block->bytes);
      out_.Add(std::make_unique<OutJob>(*this, block));
      return true;
    }
    all_out = all_out && memory_.PlaceOf(*block) == Place::kOut;
    if (all_out) oldest_ = at->first;
    ++at;
  }
  return false;
}

bool Swapper::IsOver(int64_t bytes) const {
  const int64_t limit = memory_.stats().bytes_limit;
  return limit > 0 && static_cast<double>(bytes) > share_ * static_cast<double>(limit);
}

void Swapper::Settle() {
  if (!swaps_) return;
  if (taken_ != SimBlock::kNone) {
    while (FetchNext()) {
    }
    return;
  }
  while (IsOver(memory_.stats().bytes_resident - leaving_)) {
    if (!SendOldest()) return;
  }
}

// Of what will be taken after the one that was taken last, the first that is out.
bool Swapper::FetchNext() {
  for (auto at = pushed_.lower_bound(taken_); at != pushed_.begin();) {
    --at;
    const SimBlockPtr block = at->second.lock();
    if (block == nullptr) {
      at = pushed_.erase(at);
      continue;
    }
    if (memory_.PlaceOf(*block) != Place::kOut || coming_.contains(block.get())) continue;
    const auto bytes = static_cast<int64_t>(block->bytes);
    if (IsOver(memory_.stats().bytes_resident + bytes) || !memory_.BeginMoveIn(*block))
      return false;
    Fetch(block, true);
    return true;
  }
  return false;
}

int64_t Swapper::bytes_held() const {
  int64_t bytes = 0;
  for (const auto& [order, weak] : pushed_) {
    const SimBlockPtr block = weak.lock();
    if (block != nullptr && memory_.PlaceOf(*block) == Place::kResident) {
      bytes += static_cast<int64_t>(block->bytes);
    }
  }
  return bytes;
}

}  // namespace tagflow::optimized
