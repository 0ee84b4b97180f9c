#include "transform/placement/memory_use.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tagflow {
namespace {

size_t At(int index) { return static_cast<size_t>(index); }

struct Stay {
  double begin_ns = 0;
  double end_ns = 0;
};

// Of what stays there at a time, at most.
double PeakOf(const std::vector<std::pair<Stay, double>>& stays) {
  std::vector<std::pair<double, double>> changes;  // what goes is first, of one time
  for (const auto& [stay, bytes] : stays) {
    changes.emplace_back(stay.begin_ns, bytes);
    changes.emplace_back(stay.end_ns, -bytes);
  }
  std::ranges::sort(changes);
  double now = 0;
  double peak = 0;
  for (const auto& [ns, bytes] : changes) {
    now += bytes;
    peak = std::max(peak, now);
  }
  return peak;
}

}  // namespace

std::vector<double> PeakBytes(const TaskGraph& graph, const std::vector<int>& device_of,
                              const Schedule& schedule) {
  std::vector<std::map<int, Stay>> stays;  // by tensor, device
  for (const TaskTensor& tensor : graph.tensors) {
    const Stay made = {schedule.begin_ns[At(tensor.producer)],
                       schedule.end_ns[At(tensor.producer)]};
    stays.push_back({{device_of[At(tensor.producer)], made}});
  }
  std::vector<double> peaks(At(graph.devices), 0);
  for (size_t task = 0; task < graph.tasks.size(); ++task) {
    peaks[At(device_of[task])] += graph.tasks[task].state_bytes;
    for (const int tensor : graph.tasks[task].takes) {
      const int source = device_of[At(graph.tensors[At(tensor)].producer)];
      Stay& at_home = stays[At(tensor)][source];
      const double made_ns = schedule.end_ns[At(graph.tensors[At(tensor)].producer)];
      const auto [here, is_new] =
          stays[At(tensor)].try_emplace(device_of[task], Stay{made_ns, made_ns});
      here->second.end_ns = std::max(here->second.end_ns, schedule.end_ns[task]);
      // Until it was sent: at the latest when it is taken.
      at_home.end_ns = std::max(at_home.end_ns, schedule.begin_ns[task]);
    }
  }
  std::vector<std::vector<std::pair<Stay, double>>> on_device(At(graph.devices));
  for (size_t tensor = 0; tensor < stays.size(); ++tensor) {
    for (const auto& [device, stay] : stays[tensor]) {
      // What goes round is taken before it was made.
      const Stay forward = {stay.begin_ns, std::max(stay.begin_ns, stay.end_ns)};
      on_device[At(device)].emplace_back(forward, graph.tensors[tensor].bytes);
    }
  }
  for (size_t device = 0; device < peaks.size(); ++device) {
    peaks[device] += PeakOf(on_device[device]);
  }
  return peaks;
}

}  // namespace tagflow
