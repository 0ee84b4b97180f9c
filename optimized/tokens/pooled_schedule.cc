#include <new>

#include "optimized/tokens/schedule.h"

namespace tagflow::optimized::tokens {
namespace {

// About 20 microseconds.
constexpr int kSpins = 1000;

}  // namespace

PooledSchedule::PooledSchedule(WorkerPool& pool) : pool_(pool) {
  for (int i = 0; i < pool.threads(); ++i) lanes_.push_back(std::make_unique<Lane>());
}

// The calling thread works as the others do, and waits for them when it has nothing left.
void PooledSchedule::Run(Step<Concurrent>& step) {
  step_ = &step;
  active_.store(1);
  is_over_.store(false);
  quiet_since_ = kNever;
  if (step.calls() != nullptr) step.calls()->SetWake([this] { WakeCaller(); });
  do {
    Work(step.worker(0));
  } while (!Leave() && AwaitOffers());
  if (is_enlisted_.exchange(false)) pool_.Dismiss(*this);
}

// A helper becomes active before it takes anything, so that what it took is never overlooked.
bool PooledSchedule::Help(int worker) {
  if (!HasOffers()) return false;
  active_.fetch_add(1);
  helps_.fetch_add(1);
  const bool worked = Work(step_->worker(worker));
  Leave();
  return worked;
}

// A thread that runs out of memory ends the step, and nothing else.
bool PooledSchedule::Work(WorkerT& worker) {
  try {
    return FireWhatIsDue(worker);
  } catch (const std::bad_alloc&) {
    step_->RunOutOfMemory();
    Drop(worker);
    return true;
  }
}

// Fires what is due for this worker, then what it can take, until there is nothing; whether there
// was anything.
bool PooledSchedule::FireWhatIsDue(WorkerT& worker) {
  bool worked = false;
  while (!worker.ready.empty() || Take(worker)) {
    worked = true;
    if (worker.has_news) OfferHeavy(worker);
    if (!worker.ready.empty()) step_->FireAll(worker);
    if (step_->is_stopped()) {
      Drop(worker);
      return true;
    }
  }
  return worked;
}

void PooledSchedule::Drop(WorkerT& worker) {
  if (!worker.ready.empty()) step_->NoteDropped(worker.ready.back());
  worker.ready.clear();
  DropAll();
}

// What is heavy is for others, if this worker has something else to do.
void PooledSchedule::OfferHeavy(WorkerT& worker) {
  worker.has_news = false;
  size_t kept = worker.first_news;
  for (size_t i = worker.first_news; i < worker.ready.size(); ++i) {
    const ReadyT ready = worker.ready[i];
    const bool has_other = kept > 0 || i + 1 < worker.ready.size() ||
                           lanes_[static_cast<size_t>(worker.index)]->size.load() > 0;
    if (ready.Has(ReadyT::kHeavy) && has_other) {
      Offer(worker, ready);
    } else {
      worker.ready[kept++] = ready;
    }
  }
  worker.ready.Keep(kept);
}

void PooledSchedule::Offer(WorkerT& worker, const ReadyT& ready) {
  Lane& lane = *lanes_[static_cast<size_t>(worker.index)];
  {
    std::lock_guard lock(lane.mutex);
    lane.ready.push_back(ready);
    lane.size.store(lane.ready.size());
  }
  if (lanes_.size() == 1) return;
  if (!is_enlisted_.load() && !is_enlisted_.exchange(true)) {
    try {
      pool_.Enlist(*this);
    } catch (const std::bad_alloc&) {
      is_enlisted_ = false;
      throw;
    }
  }
  if (caller_parked_.load()) WakeCaller();
  pool_.Notify();
}

// The worker's own first: what is oldest holds up an iteration's end the longest.
bool PooledSchedule::Take(WorkerT& worker) {
  if (step_->HasDoneCalls()) {
    step_->TakeDoneCalls(worker);
    return true;
  }
  const size_t count = lanes_.size();
  for (size_t i = 0; i < count; ++i) {
    Lane& lane = *lanes_[(static_cast<size_t>(worker.index) + i) % count];
    if (lane.size.load() > 0 && TakeFrom(lane, worker)) return true;
  }
  return false;
}

bool PooledSchedule::TakeFrom(Lane& lane, WorkerT& worker) {
  std::lock_guard lock(lane.mutex);
  if (lane.ready.empty()) return false;
  worker.ready.push_back(lane.ready.front());
  lane.ready.pop_front();
  lane.size.store(lane.ready.size());
  return true;
}

bool PooledSchedule::HasOffers() const {
  if (step_->HasDoneCalls()) return true;
  for (const auto& lane : lanes_) {
    if (lane->size.load() > 0) return true;
  }
  return false;
}

// Whether the worker was the last.
bool PooledSchedule::Leave() {
  if (active_.fetch_sub(1) > 1) return false;
  if (step_->HasCalls() && !step_->is_stopped()) {
    if (step_->MayAdvance()) WakeCaller();  // who lets that happen
    return false;
  }
  is_over_.store(true);
  WakeCaller();
  return true;
}

// The calling thread waits for something to take, and is active again; false when all is over.
bool PooledSchedule::AwaitOffers() {
  for (int i = 0; i < kSpins; ++i) {
    if (is_over_.load() || HasOffers() || CanAdvance()) break;
    Relax();
  }
  {
    std::unique_lock lock(mutex_);
    caller_parked_.store(true);
    wake_caller_.wait(
        lock, [&] { return is_over_.load() || HasOffers() || IsAbandoned() || CanAdvance(); });
    caller_parked_.store(false);
  }
  if (is_over_.load() || IsAbandoned()) return false;
  const uint64_t helps = helps_.load();
  const bool is_alone = active_.fetch_add(1) == 0;
  const bool is_idle = is_alone && step_->MayAdvance() && !HasOffers();
  try {
    quiet_since_ = is_idle && !step_->Advance() ? helps : kNever;
  } catch (const std::bad_alloc&) {
    step_->RunOutOfMemory();
  }
  return true;
}

// Nobody has anything to do before the time of devices goes on or a message arrives, which may be.
bool PooledSchedule::CanAdvance() const {
  return step_->MayAdvance() && active_.load() == 0 && !IsQuiet();
}

// Only calls that are in flight are left of a step that is stopped: nobody waits for them.
// Nor for Recvs to which nothing will come.
bool PooledSchedule::IsAbandoned() const {
  if (active_.load() > 0) return false;
  return step_->is_stopped() || (IsQuiet() && !HasOffers() && step_->AwaitsRecvsAlone());
}

void PooledSchedule::WakeCaller() {
  { std::lock_guard lock(mutex_); }  // a caller that parks is waiting by now, or sees the news
  wake_caller_.notify_one();
}

void PooledSchedule::DropAll() {
  for (const auto& lane : lanes_) {
    std::lock_guard lock(lane->mutex);
    if (!lane->ready.empty()) step_->NoteDropped(lane->ready.back());
    lane->ready.clear();
    lane->size.store(0);
  }
}

}  // namespace tagflow::optimized::tokens
