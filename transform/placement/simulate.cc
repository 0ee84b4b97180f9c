#include "transform/placement/simulate.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

namespace tagflow {
namespace {

constexpr int kNowhere = -1;
constexpr double kNotSent = -1;

size_t At(int index) { return static_cast<size_t>(index); }

class Simulation {
 public:
  // device_of: by task; null: greedily
  Simulation(const TaskGraph& graph, const std::vector<int>* device_of)
      : graph_(graph),
        device_of_(device_of == nullptr ? std::vector<int>(graph.tasks.size(), kNowhere)
                                        : *device_of),
        choices_(graph.groups.size(), GreedyChoice{kNowhere, 0, kNowhere, 0}),
        free_ns_(At(graph.devices), 0),
        queued_ns_(At(graph.devices), 0),
        link_free_ns_(At(graph.devices), std::vector<double>(At(graph.devices), 0)),
        arrival_ns_(graph.tensors.size() * At(graph.devices), kNotSent),
        waits_for_(graph.tasks.size(), 0),
        waiting_(graph.tasks.size()),
        reached_(graph.tasks.size(), false),
        ended_(graph.tasks.size(), false) {
    schedule_.begin_ns.assign(graph.tasks.size(), 0);
    schedule_.end_ns.assign(graph.tasks.size(), 0);
    for (int task = 0; task < Count(); ++task) NoteWaiting(task);
    if (device_of == nullptr) SumGroups();
  }

  GreedySchedule Run() && {
    for (int task = 0; task < Count(); ++task) {
      if (waits_for_[At(task)] == 0) Reach(task, 0);
    }
    int least = 0;
    double now = 0;
    while (true) {
      while (!events_.empty()) {
        const Event event = events_.top();
        events_.pop();
        now = event.ns;
        if (event.is_arrival) {
          Begin(event.task, now);
        } else {
          End(event.task, now);
        }
      }
      while (least < Count() && reached_[At(least)]) ++least;
      if (least == Count()) break;
      Reach(least, now);
    }
    return {std::move(schedule_), std::move(choices_)};
  }

 private:
  struct Event {
    double ns = 0;
    bool is_arrival = false;
    int task = 0;
    friend bool operator<(const Event& a, const Event& b) {  // the first is on top
      return std::tie(a.ns, a.is_arrival, a.task) > std::tie(b.ns, b.is_arrival, b.task);
    }
  };

  int Count() const { return static_cast<int>(graph_.tasks.size()); }

  void NoteWaiting(int task) {
    const auto wait = [&](int other) {
      ++waits_for_[At(task)];
      waiting_[At(other)].push_back(task);
    };
    for (const int tensor : graph_.tasks[At(task)].takes) wait(graph_.tensors[At(tensor)].producer);
    for (const int other : graph_.tasks[At(task)].after) wait(other);
  }

  void SumGroups() {
    group_ns_.assign(graph_.groups.size(), std::vector<double>(At(graph_.devices), 0));
    for (const Task& task : graph_.tasks) {
      for (size_t d = 0; d < task.ns.size(); ++d) group_ns_[At(task.group)][d] += task.ns[d];
    }
  }

  void Reach(int task, double now) {
    reached_[At(task)] = true;
    int& device = device_of_[At(task)];
    if (device == kNowhere) device = Choose(task, now);
    queued_ns_[At(device)] += graph_.tasks[At(task)].ns[At(device)];
    events_.push({Arrival(task, device, now, true), true, task});
  }

  void Begin(int task, double now) {
    const int device = device_of_[At(task)];
    const double begin = std::max(now, free_ns_[At(device)]);
    const double end = begin + graph_.tasks[At(task)].ns[At(device)];
    queued_ns_[At(device)] -= graph_.tasks[At(task)].ns[At(device)];
    free_ns_[At(device)] = end;
    schedule_.begin_ns[At(task)] = begin;
    schedule_.end_ns[At(task)] = end;
    schedule_.makespan_ns = std::max(schedule_.makespan_ns, end);
    events_.push({end, false, task});
  }

  void End(int task, double now) {
    ended_[At(task)] = true;
    for (const int other : waiting_[At(task)]) {
      if (--waits_for_[At(other)] == 0 && !reached_[At(other)]) Reach(other, now);
    }
  }

  // When all inputs of the task are on the device; `sends`: they are sent for it.
  double Arrival(int task, int device, double now, bool sends) {
    double last = now;
    link_plan_.assign(At(graph_.devices), kNotSent);
    for (const int tensor : graph_.tasks[At(task)].takes) {
      const TaskTensor& about = graph_.tensors[At(tensor)];
      const int source = device_of_[At(about.producer)];
      // What goes round comes from a task that has not run: it is not waited for.
      if (!ended_[At(about.producer)] || source == device) continue;
      double& known = arrival_ns_[At(tensor) * At(graph_.devices) + At(device)];
      double arrival = known;
      if (arrival == kNotSent) arrival = Send(about, source, device, sends);
      if (sends) known = arrival;
      last = std::max(last, arrival);
    }
    return last;
  }

  double Send(const TaskTensor& tensor, int source, int device, bool sends) {
    const LinkSpeed& link = graph_.links[At(source)][At(device)];
    double& free_now = link_free_ns_[At(source)][At(device)];
    double& free_then = link_plan_[At(source)];
    const double begin = std::max({schedule_.end_ns[At(tensor.producer)], free_now, free_then});
    const double carries_ns = tensor.messages * tensor.bytes / link.bytes_per_ns;
    free_then = begin + carries_ns;
    if (sends) free_now = free_then;
    return begin + carries_ns + tensor.messages * link.latency_ns;
  }

  int Choose(int task, double now) {
    const int group = graph_.tasks[At(task)].group;
    GreedyChoice& choice = choices_[At(group)];
    if (choice.device != kNowhere) return choice.device;
    for (int device = 0; device < graph_.devices; ++device) {
      if (!graph_.groups[At(group)].fits[At(device)]) continue;
      const double begin = std::max(Arrival(task, device, now, false),
                                    free_ns_[At(device)] + queued_ns_[At(device)]);
      const double end = begin + group_ns_[At(group)][At(device)];
      if (choice.device == kNowhere || end < choice.end_ns) {
        choice = {device, end, choice.device, choice.end_ns};
      } else if (choice.next_best == kNowhere || end < choice.next_best_end_ns) {
        choice.next_best = device;
        choice.next_best_end_ns = end;
      }
    }
    return choice.device;
  }

  const TaskGraph& graph_;
  std::vector<int> device_of_;                 // by task
  std::vector<GreedyChoice> choices_;          // by group
  std::vector<std::vector<double>> group_ns_;  // by group, device: of all its tasks
  std::vector<double> free_ns_;                // by device
  std::vector<double> queued_ns_;              // by device: of what was reached and has not begun
  std::vector<std::vector<double>> link_free_ns_;  // from, to
  std::vector<double> link_plan_;                  // to one device, while its inputs are looked at
  std::vector<double> arrival_ns_;                 // by tensor, device
  std::vector<int> waits_for_;                     // by task: how many inputs have not ended
  std::vector<std::vector<int>> waiting_;          // by task: who waits for it
  std::vector<bool> reached_, ended_;              // by task
  std::priority_queue<Event> events_;
  Schedule schedule_;
};

}  // namespace

Schedule Simulate(const TaskGraph& graph, const std::vector<int>& device_of) {
  return Simulation(graph, &device_of).Run().schedule;
}

GreedySchedule PlaceGreedily(const TaskGraph& graph) { return Simulation(graph, nullptr).Run(); }

}  // namespace tagflow
