#include "transform/placement/place.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "graph/feed_set.h"
#include "graph/out_of_memory.h"
#include "graph/validate.h"
#include "transform/partition/layout.h"
#include "transform/partition/loop_ends.h"
#include "transform/placement/graph_tasks.h"
#include "transform/placement/memory_use.h"
#include "transform/placement/requests.h"
#include "transform/placement/simulate.h"

namespace tagflow {
namespace {

// "3.2 us", "67 ms".
std::string TimeText(double ns) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  for (; unit < 3 && ns >= 999.5; ++unit) ns /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %s", ns, kUnits[unit]);
  return text;
}

int FirstFit(const std::vector<bool>& fits) {
  return static_cast<int>(std::find(fits.begin(), fits.end(), true) - fits.begin());
}

std::vector<std::string> NamesOf(const DeviceCatalog& catalog) {
  std::vector<std::string> names;
  for (const DeviceInfo& device : catalog.devices()) names.push_back(device.name);
  return names;
}

CallSpec CallOf(const Graph& graph, const PlacementOptions& options) {
  if (options.call.has_value()) return *options.call;
  CallSpec call;
  call.targets = graph.NodeIds();
  return call;
}

bool CanBeCut(const Graph& graph, const ValidatedCall& valid, const Layout& layout, int frame) {
  const NodeId loop_cond = layout.loop_cond[static_cast<size_t>(frame)];
  return loop_cond != NodeId::kNone &&
         FindEndlessVariable(graph, valid, frame, loop_cond) == NodeId::kNone;
}

// Joins the nodes of each frame that cannot be cut, with those of the frames inside.
Status JoinFrames(const Graph& graph, const CallSpec& call, const ValidatedCall& valid,
                  const FeedSet& fed, NodeGroups& groups) {
  const std::string anywhere = "/device:CPU:0";
  const Placement one{{anywhere}, std::vector<std::string>(graph.id_limit(), anywhere)};
  TAGFLOW_ASSIGN_OR_RETURN(const Layout layout, LayOut(graph, call, valid, fed, one));
  const FrameTree& tree = valid.frames;
  std::vector<int> joined(tree.frames.size(), FrameTree::kRoot);  // the outermost that is not cut
  for (size_t f = 1; f < tree.frames.size(); ++f) {
    joined[f] = joined[static_cast<size_t>(tree.frames[f].parent)];
    const int frame = static_cast<int>(f);
    if (joined[f] == FrameTree::kRoot && !CanBeCut(graph, valid, layout, frame)) joined[f] = frame;
  }
  std::vector<NodeId> first(tree.frames.size(), NodeId::kNone);
  for (const NodeId id : graph.NodeIds()) {
    const int inner = tree.frame_of[Index(id)];
    if (!valid.needed[Index(id)] || inner <= FrameTree::kRoot) continue;
    const int frame = joined[static_cast<size_t>(inner)];
    if (frame == FrameTree::kRoot) continue;
    NodeId& leader = first[static_cast<size_t>(frame)];
    if (leader == NodeId::kNone) leader = id;
    groups.Join(id, leader);
  }
  return Status();
}

struct Question {
  Requests requests;
  GraphTasks tasks;
};

Result<Question> Ask(const Graph& graph, const DeviceCatalog& catalog,
                     const PlacementOptions& options) {
  if (catalog.devices().empty()) {
    return InvalidArgument("there is no device to place nodes on: give the catalog at least one");
  }
  const CallSpec call = CallOf(graph, options);
  ValidatedCall checked;
  if (options.valid == nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(checked, ValidateCall(graph, call));
  }
  const ValidatedCall& valid = options.valid != nullptr ? *options.valid : checked;
  const FeedSet fed(graph, call.feeds);
  NodeGroups groups = ColocatedGroups(graph);
  if (catalog.devices().size() > 1) {
    TAGFLOW_RETURN_IF_ERROR(JoinFrames(graph, call, valid, fed, groups));
  }
  const RequestOptions request_options{&catalog, options.soft, valid.needed};
  Question question;
  TAGFLOW_ASSIGN_OR_RETURN(
      question.requests, ReadRequests(graph, NamesOf(catalog), std::move(groups), request_options));
  question.tasks = TasksOf(graph, call, valid, question.requests, catalog.devices(), options.costs);
  return question;
}

std::vector<int> ByTask(const TaskGraph& tasks, const std::vector<int>& device_of_group) {
  std::vector<int> device_of;
  for (const Task& task : tasks.tasks) {
    device_of.push_back(device_of_group[static_cast<size_t>(task.group)]);
  }
  return device_of;
}

std::vector<int> AllOn(const TaskGraph& tasks, int device) {
  std::vector<int> device_of;
  for (const TaskGroup& group : tasks.groups) {
    const bool fits = group.fits[static_cast<size_t>(device)];
    device_of.push_back(fits ? device : FirstFit(group.fits));
  }
  return device_of;
}

std::vector<int> InTurn(const TaskGraph& tasks) {
  std::vector<int> device_of;
  int next = 0;
  for (const TaskGroup& group : tasks.groups) {
    while (!group.fits[static_cast<size_t>(next)]) next = (next + 1) % tasks.devices;
    device_of.push_back(next);
    next = (next + 1) % tasks.devices;
  }
  return device_of;
}

class Placer {
 public:
  Placer(const Graph& graph, const DeviceCatalog& catalog, const Question& question)
      : graph_(graph), devices_(catalog.devices()), names_(NamesOf(catalog)), question_(question) {}

  PlacementReport Place() && {
    const TaskGraph& tasks = question_.tasks.tasks;
    for (int device = 0; device < tasks.devices; ++device) {
      Try("all on " + names_[static_cast<size_t>(device)], AllOn(tasks, device));
    }
    greedy_ = PlaceGreedily(tasks);
    std::vector<int> found;
    for (const GreedyChoice& choice : greedy_.choices) found.push_back(choice.device);
    greedy_index_ = report_.candidates.size();
    Add("greedy", greedy_.schedule, std::move(found));
    Try("round robin", InTurn(tasks));
    Write();
    return std::move(report_);
  }

 private:
  void Try(std::string name, std::vector<int> device_of_group) {
    const TaskGraph& tasks = question_.tasks.tasks;
    const Schedule schedule = Simulate(tasks, ByTask(tasks, device_of_group));
    Add(std::move(name), schedule, std::move(device_of_group));
  }

  void Add(std::string name, const Schedule& schedule, std::vector<int> device_of_group) {
    const TaskGraph& tasks = question_.tasks.tasks;
    PlacementCandidate candidate{std::move(name), schedule.makespan_ns, {}, -1};
    candidate.peak_bytes = PeakBytes(tasks, ByTask(tasks, device_of_group), schedule);
    for (int device = 0; device < tasks.devices && candidate.lacks_memory < 0; ++device) {
      const auto at = static_cast<size_t>(device);
      const auto limit = static_cast<double>(devices_[at].memory_bytes);
      if (limit > 0 && candidate.peak_bytes[at] > limit) candidate.lacks_memory = device;
    }
    report_.candidates.push_back(std::move(candidate));
    if (report_.candidates.size() == 1 ||
        IsBetter(report_.candidates.back(), report_.candidates[report_.chosen])) {
      report_.chosen = report_.candidates.size() - 1;
      best_ = std::move(device_of_group);
    }
  }

  static bool IsBetter(const PlacementCandidate& one, const PlacementCandidate& other) {
    const bool fits = one.lacks_memory < 0;
    if (fits != (other.lacks_memory < 0)) return fits;
    return one.makespan_ns < other.makespan_ns;
  }

  // Why it is none that would have been over sooner; "" where it is.
  std::string MemoryReason() const {
    const PlacementCandidate& chosen = report_.candidates[report_.chosen];
    if (chosen.lacks_memory >= 0) {
      return "; nothing that was tried fits " + MemoryText(chosen);
    }
    const PlacementCandidate* soonest = &chosen;
    for (const PlacementCandidate& candidate : report_.candidates) {
      if (candidate.makespan_ns < soonest->makespan_ns) soonest = &candidate;
    }
    if (soonest == &chosen) return "";
    return "; " + soonest->name + ", " + TimeText(soonest->makespan_ns) + ", does not fit " +
           MemoryText(*soonest);
  }
  std::string MemoryText(const PlacementCandidate& candidate) const {
    const auto device = static_cast<size_t>(candidate.lacks_memory);
    char bytes[32];
    std::snprintf(bytes, sizeof(bytes), "%.0f", candidate.peak_bytes[device]);
    return "the memory of " + names_[device] + ": " + bytes + " of " +
           std::to_string(devices_[device].memory_bytes) + " bytes";
  }

  void Write() {
    const std::string memory_reason = MemoryReason();
    report_.placement = {names_, std::vector<std::string>(graph_.id_limit())};
    report_.reasons = question_.requests.reasons;
    for (const NodeId id : graph_.NodeIds()) {
      const NodeId least = question_.requests.group_of[Index(id)];
      const std::vector<bool>& fits = question_.requests.fits[Index(least)];
      const int group = question_.tasks.group_of[Index(least)];
      const int device = group < 0 ? FirstFit(fits) : best_[static_cast<size_t>(group)];
      report_.placement.device_of[Index(id)] = names_[static_cast<size_t>(device)];
      std::string& reason = report_.reasons[Index(id)];
      const bool is_free = group >= 0 && std::count(fits.begin(), fits.end(), true) > 1;
      const bool had_words = !reason.empty();
      if (had_words && !(is_free && !graph_.node(id).device.empty())) continue;
      if (had_words) reason += "; ";
      reason += is_free ? ReasonOf(group, device) + memory_reason : "the only device that fits";
    }
  }

  std::string ReasonOf(int group, int device) const {
    const PlacementCandidate& chosen = report_.candidates[report_.chosen];
    if (report_.chosen == greedy_index_) {
      return GreedyReason(greedy_.choices[static_cast<size_t>(group)]);
    }
    const std::string times = TimeText(chosen.makespan_ns) + ", greedy " +
                              TimeText(report_.candidates[greedy_index_].makespan_ns);
    if (report_.chosen > greedy_index_) return "in turn: " + times;
    if (static_cast<size_t>(device) == report_.chosen) return "all on one: " + times;
    return "does not fit " + names_[report_.chosen] + ", where all others are";
  }

  std::string GreedyReason(const GreedyChoice& choice) const {
    const double gain = choice.next_best_end_ns - choice.end_ns;
    const std::string& other = names_[static_cast<size_t>(choice.next_best)];
    if (!(gain > 0)) return "greedy: as soon done as on " + other;
    return "greedy: done " + TimeText(gain) + " sooner than on " + other;
  }

  const Graph& graph_;
  const std::vector<DeviceInfo>& devices_;
  const std::vector<std::string> names_;
  const Question& question_;
  GreedySchedule greedy_;
  size_t greedy_index_ = 0;
  std::vector<int> best_;  // by group
  PlacementReport report_;
};

}  // namespace

Result<PlacementReport> Place(const Graph& graph, const DeviceCatalog& catalog,
                              const PlacementOptions& options) {
  return OrOutOfMemory([&]() -> Result<PlacementReport> {
    TAGFLOW_ASSIGN_OR_RETURN(const Question question, Ask(graph, catalog, options));
    return Placer(graph, catalog, question).Place();
  });
}

Result<double> EstimateStepNs(const Graph& graph, const DeviceCatalog& catalog,
                              const Placement& placement, const PlacementOptions& options) {
  PlacementOptions softly = options;
  softly.soft = true;
  TAGFLOW_ASSIGN_OR_RETURN(const Question question, Ask(graph, catalog, softly));
  const std::vector<std::string> names = NamesOf(catalog);
  std::vector<int> device_of;
  for (const NodeId id : question.tasks.node_of) {
    if (id == NodeId::kNone) {
      device_of.push_back(0);
      continue;
    }
    const bool has_device = Index(id) < placement.device_of.size();
    const auto at =
        has_device ? std::ranges::find(names, placement.device_of[Index(id)]) : names.end();
    if (at == names.end()) {
      return InvalidArgument("node '" + graph.node(id).name +
                             "' is on none of the catalog's devices: place it on one")
          .WithNode(graph.node(id).name)
          .WithRule("graph.4");
    }
    device_of.push_back(static_cast<int>(at - names.begin()));
  }
  return Simulate(question.tasks.tasks, device_of).makespan_ns;
}

}  // namespace tagflow
