#include <functional>
#include <utility>

#include "optimized/tokens/schedule.h"

namespace tagflow::optimized::tokens {

void SimulatedSchedule::Run(Step<Concurrent>& step) {
  while (true) {
    Worker<Concurrent>* const worker = ChooseWorker(step);
    if (worker == nullptr) {
      if (step.AwaitCalls(step.worker(0))) continue;
      return;
    }
    std::swap(worker->ready[Below(worker->ready.size())], worker->ready.back());
    Note(step, *worker);
    worker->has_news = false;
    if (step.FireOne(*worker)) continue;
    for (int i = 0; i < step.num_workers(); ++i) step.worker(i).ready.clear();
  }
}

// Any of them; one that has nothing takes any instance of any other. Null when nothing is due.
Worker<Concurrent>* SimulatedSchedule::ChooseWorker(Step<Concurrent>& step) {
  std::vector<Worker<Concurrent>*> able;
  for (int i = 0; i < step.num_workers(); ++i) {
    if (!step.worker(i).ready.empty()) able.push_back(&step.worker(i));
  }
  if (able.empty()) return nullptr;
  Worker<Concurrent>& chosen =
      step.worker(static_cast<int>(Below(static_cast<size_t>(step.num_workers()))));
  if (!chosen.ready.empty()) return &chosen;
  ReadyStack<Concurrent>& others = able[Below(able.size())]->ready;
  std::swap(others[Below(others.size())], others.back());
  chosen.ready.push_back(others.Pop());
  return &chosen;
}

void SimulatedSchedule::Note(const Step<Concurrent>& step, const Worker<Concurrent>& worker) {
  const Ready<Concurrent>& next = worker.ready.back();
  const Node& node = *step.plan().info(next.node()).node;
  const size_t tag = std::hash<std::string>()(ToString(TagOf(*next.iteration)));
  for (const uint64_t part : {static_cast<uint64_t>(worker.index),
                              static_cast<uint64_t>(Index(node.id)), static_cast<uint64_t>(tag)}) {
    hash_ = (hash_ ^ part) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 29;
  }
}

}  // namespace tagflow::optimized::tokens
