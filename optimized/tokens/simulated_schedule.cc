#include <functional>
#include <utility>

#include "optimized/tokens/schedule.h"

namespace tagflow::optimized::tokens {

void SimulatedSchedule::Run(Step<Concurrent>& step) {
  while (true) {
    BringBack(step);
    TakeSomeDoneCalls(step);
    WorkerT* const worker = Choose(step);
    if (worker == nullptr) {
      if (!delayed_.empty()) continue;
      if (!step.AwaitDoneCalls()) return;
      TakeDoneCall(step);
      continue;
    }
    Note(step, *worker);
    worker->has_news = false;
    const size_t others = worker->ready.size() - 1;
    ++firings_;
    if (!step.FireOne(*worker)) {
      DropAll(step);
    } else if (manner_ == Manner::kWithDelays) {
      PutAside(*worker, others);
    }
  }
}

// The worker that is next, with what it fires on top; null when nothing is due.
SimulatedSchedule::WorkerT* SimulatedSchedule::Choose(Step<Concurrent>& step) {
  return manner_ == Manner::kByPriority ? ChooseByPriority(step) : ChooseEvenly(step);
}

// Any of them; one that has nothing takes any instance of any other.
SimulatedSchedule::WorkerT* SimulatedSchedule::ChooseEvenly(Step<Concurrent>& step) {
  std::vector<WorkerT*> able;
  for (int i = 0; i < step.num_workers(); ++i) {
    if (!step.worker(i).ready.empty()) able.push_back(&step.worker(i));
  }
  if (able.empty()) return nullptr;
  WorkerT& chosen = step.worker(static_cast<int>(Below(static_cast<size_t>(step.num_workers()))));
  ReadyStack<Concurrent>& ready =
      chosen.ready.empty() ? able[Below(able.size())]->ready : chosen.ready;
  std::swap(ready[Below(ready.size())], ready.back());
  if (&ready != &chosen.ready) chosen.ready.push_back(ready.Pop());
  return &chosen;
}

// Any worker, with the instance of the highest priority that any has.
SimulatedSchedule::WorkerT* SimulatedSchedule::ChooseByPriority(Step<Concurrent>& step) {
  constexpr size_t kFiringsPerChange = 16;
  ReadyStack<Concurrent>* from = nullptr;
  size_t place = 0;
  uint64_t highest = 0;
  for (int i = 0; i < step.num_workers(); ++i) {
    ReadyStack<Concurrent>& ready = step.worker(i).ready;
    for (size_t k = 0; k < ready.size(); ++k) {
      const uint64_t priority = PriorityOf(step, ready[k]);
      if (from != nullptr && priority <= highest) continue;
      from = &ready;
      place = k;
      highest = priority;
    }
  }
  if (from == nullptr) return nullptr;
  std::swap((*from)[place], from->back());
  const ReadyT chosen = from->Pop();
  if (Below(kFiringsPerChange) == 0) PriorityOf(step, chosen) = --lowest_;
  WorkerT& worker = step.worker(static_cast<int>(Below(static_cast<size_t>(step.num_workers()))));
  worker.ready.push_back(chosen);
  return &worker;
}

uint64_t& SimulatedSchedule::PriorityOf(const Step<Concurrent>& step, const ReadyT& ready) {
  const NodeId node = step.plan().info(ready.node()).node->id;
  const auto [place, is_new] = priorities_.try_emplace(node, 0);
  if (is_new) place->second = random_() | uint64_t{1} << 32;
  return place->second;
}

// Some of a worker's instances from number `first` on, which have just become due.
void SimulatedSchedule::PutAside(WorkerT& worker, size_t first) {
  constexpr size_t kOneOf = 4, kFiringsMost = 100;
  size_t kept = first;
  for (size_t i = first; i < worker.ready.size(); ++i) {
    if (Below(kOneOf) == 0) {
      delayed_.push_back({worker.ready[i], worker.index, firings_ + Below(kFiringsMost)});
    } else {
      worker.ready[kept++] = worker.ready[i];
    }
  }
  worker.ready.Keep(kept);
}

// Calls end while other instances are due, in any order; those that nothing else is due with, one
// by one.
void SimulatedSchedule::TakeSomeDoneCalls(Step<Concurrent>& step) {
  constexpr size_t kFiringsMean = 4;
  while (step.HasDoneCalls() && Below(kFiringsMean) == 0) TakeDoneCall(step);
}

void SimulatedSchedule::TakeDoneCall(Step<Concurrent>& step) {
  WorkerT& worker = step.worker(static_cast<int>(Below(static_cast<size_t>(step.num_workers()))));
  const size_t others = worker.ready.size();
  step.TakeDoneCall(worker, random_());
  if (manner_ == Manner::kWithDelays) PutAside(worker, others);
}

// What has been delayed for long enough; where nothing else is due, all.
void SimulatedSchedule::BringBack(Step<Concurrent>& step) {
  bool any = false;
  for (int i = 0; i < step.num_workers(); ++i) any |= !step.worker(i).ready.empty();
  std::erase_if(delayed_, [&](const Delayed& delayed) {
    if (any && delayed.until > firings_) return false;
    step.worker(delayed.worker).ready.push_back(delayed.ready);
    return true;
  });
}

void SimulatedSchedule::DropAll(Step<Concurrent>& step) {
  for (int i = 0; i < step.num_workers(); ++i) step.worker(i).ready.clear();
  delayed_.clear();
}

void SimulatedSchedule::Note(const Step<Concurrent>& step, const WorkerT& worker) {
  const ReadyT& next = worker.ready.back();
  const Node& node = *step.plan().info(next.node()).node;
  const size_t tag = std::hash<std::string>()(ToString(TagOf(*next.iteration)));
  for (const uint64_t part : {static_cast<uint64_t>(worker.index),
                              static_cast<uint64_t>(Index(node.id)), static_cast<uint64_t>(tag)}) {
    hash_ = (hash_ ^ part) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }
}

}  // namespace tagflow::optimized::tokens
