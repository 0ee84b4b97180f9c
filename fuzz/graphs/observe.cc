// Tested by properties_test.cc.

#include "fuzz/graphs/observe.h"

#include <algorithm>
#include <random>

#include "fuzz/graphs/little_memory.h"
#include "fuzz/graphs/naive_ops.h"
#include "graph/control_ops.h"
#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

thread_local int64_t firings_so_far = 0;

uint64_t Hash(std::string_view text) { return std::hash<std::string_view>()(text); }

std::string OutputText(const NaiveToken& token) {
  if (token.dead) return " dead";
  if (token.value.is_ref) return " &" + NaiveNameOf(token.value);
  if (token.value.dtype == DType::kResource) return " " + token.value.variable;
  return " " + std::to_string(token.value.number);
}

std::string OutputText(const reference::TraceEvent::Output& output) {
  if (output.dead) return " dead";
  if (!output.reference.empty()) return " &" + output.reference;
  if (output.value.dtype() == DType::kResource) {
    const ResourceHandle& handle = *output.value.data<ResourceHandle>();
    return " " + handle.container + "/" + handle.name;
  }
  const NaiveValue value = NaiveOf(output.value);
  return value.dtype == DType::kInvalid ? " " + output.value.DebugString()
                                        : " " + std::to_string(value.number);
}

template <typename Event>
std::string TextOf(const Event& event) {
  std::string text = event.node->name + "@" + event.tag + (event.dead ? " dead" : "");
  if (event.dead) return text;
  // Which of equal inputs a Merge had first is left open ([merge.6]); who takes it, shows it.
  const size_t shown = IsMerge(*event.node) ? 1 : event.outputs.size();
  for (size_t i = 0; i < shown && i < event.outputs.size(); ++i) {
    text += OutputText(event.outputs[i]);
  }
  return text;
}

// "node@tag"; of the feeds, "".
std::string PlaceOf(const reference::Firing& firing) {
  return (firing.node == nullptr ? "" : firing.node->name) + "@" + firing.tag;
}

std::vector<std::string> Missing(std::vector<std::string> from, std::vector<std::string> in) {
  std::sort(from.begin(), from.end());
  std::sort(in.begin(), in.end());
  std::vector<std::string> missing;
  std::set_difference(from.begin(), from.end(), in.begin(), in.end(), std::back_inserter(missing));
  return missing;
}

size_t LeastRank(const std::deque<reference::Ready>& ready, uint64_t seed) {
  size_t best = 0;
  uint64_t least = 0;
  for (size_t i = 0; i < ready.size(); ++i) {
    uint64_t rank = (static_cast<uint64_t>(ready[i].node) + 1) * (seed | 1) * 0x9e3779b97f4a7c15u;
    rank ^= rank >> 29;
    if (i == 0 || rank < least) {
      least = rank;
      best = i;
    }
  }
  return best;
}

size_t NewestIteration(const std::deque<reference::Ready>& ready) {
  const auto newest = std::max_element(ready.begin(), ready.end(),
                                       [](const reference::Ready& a, const reference::Ready& b) {
                                         return a.iteration->index < b.iteration->index;
                                       });
  return static_cast<size_t>(newest - ready.begin());
}

}  // namespace

std::string ReadyOrder::ToString() const {
  switch (kind) {
    case Kind::kFirst:
      return "first come, first served";
    case Kind::kLast:
      return "newest first";
    case Kind::kRandom:
      return "random order " + std::to_string(seed);
    case Kind::kByNode:
      return "ranks of nodes " + std::to_string(seed);
    case Kind::kOldIterationsLast:
      return "late iterations first";
  }
  return "";
}

reference::Order ReadyOrder::Function() const {
  switch (kind) {
    case Kind::kFirst:
      return nullptr;
    case Kind::kLast:
      return [](const std::deque<reference::Ready>& ready) { return ready.size() - 1; };
    case Kind::kRandom:
      return [random = std::mt19937_64(seed)](const std::deque<reference::Ready>& ready) mutable {
        return static_cast<size_t>(random() % ready.size());
      };
    case Kind::kByNode:
      return [seed = seed](const std::deque<reference::Ready>& ready) {
        return LeastRank(ready, seed);
      };
    case Kind::kOldIterationsLast:
      return [](const std::deque<reference::Ready>& ready) { return NewestIteration(ready); };
  }
  return nullptr;
}

std::vector<ReadyOrder> OrdersOf(uint64_t seed) {
  using Kind = ReadyOrder::Kind;
  return {{Kind::kFirst, 0},        {Kind::kLast, 0},          {Kind::kRandom, seed},
          {Kind::kByNode, seed},    {Kind::kByNode, seed + 1}, {Kind::kOldIterationsLast, 0},
          {Kind::kRandom, seed + 1}};
}

void EventSum::Add(std::string text, bool keep) {
  sum += Hash(text);
  ++count;
  if (keep) texts.push_back(std::move(text));
}

std::string EventText(const NaiveEvent& event) { return TextOf(event); }
std::string EventText(const reference::TraceEvent& event) { return TextOf(event); }

std::string Difference(const EventSum& a, const EventSum& b) {
  std::string text;
  const auto list = [&](const std::string& title, const std::vector<std::string>& events) {
    for (size_t i = 0; i < std::min<size_t>(events.size(), 6); ++i) {
      text += "\n  " + title + ": " + events[i];
    }
  };
  list("only there", Missing(a.texts, b.texts));
  list("only here", Missing(b.texts, a.texts));
  return text;
}

std::string ErrorText(const Status& status) {
  // Of an Exit that is live twice, either of the two instances may be the one too many; and of two
  // Sends or Recvs of one key, either node.
  const bool is_of_key = status.rule() == "rendezvous.3";
  const std::string tag = status.rule() == "exit.3" || is_of_key ? "" : status.tag();
  const std::string node = is_of_key ? "" : status.node();
  return std::string(CodeName(status.code())) + " at '" + node + "' " + tag;
}

std::string RunSeen::Result() const {
  if (!status.ok()) return ErrorText(status);
  std::string text;
  for (const Tensor& value : values) text += (text.empty() ? "" : ", ") + value.DebugString();
  return text;
}

Observer::Observer(const GraphSample& sample) : sample_(sample) {
  reference::SessionOptions options;
  options.devices = sample.devices;
  Result<std::unique_ptr<reference::Session>> session =
      reference::Session::Create(sample.graph.Clone(), options);
  TAGFLOW_CHECK(session.ok());
  session_ = *std::move(session);
}

std::vector<RunSeen> Observer::Observe(const ObserveOptions& options) {
  session_->Reset();
  std::vector<RunSeen> runs;
  for (size_t run = 0; run < sample_.runs.size(); ++run) {
    runs.push_back(ObserveRun(run, options));
    if (!runs.back().status.ok()) break;
  }
  return runs;
}

int64_t FiringsSoFar() { return firings_so_far; }

RunSeen Observer::ObserveCall(const GraphCall& call, const ObserveOptions& options) {
  RunSeen seen;
  reference::History history;
  reference::RunOptions run_options;
  run_options.max_firings = options.max_firings;
  run_options.order = options.order.Function();
  run_options.collect_errors = options.all_errors;
  run_options.firings = &firings_so_far;
  if (options.races) run_options.history = &history;
  if (options.trace) {
    run_options.trace = [&](const reference::TraceEvent& event) {
      seen.events.Add(EventText(event), options.keep_events);
    };
  }
  const LittleMemory little(kMemoryOfGraphs);
  Result<std::vector<Tensor>> values =
      session_->RunUnder(*options.rules, call.feeds, call.fetches, call.targets, run_options);
  seen.status = values.status();
  if (values.ok()) seen.values = *std::move(values);
  if (options.all_errors) seen.errors = session_->collected_errors();
  for (const reference::Race& race : reference::FindRaces(history, options.races_on)) {
    seen.races.insert(NaivePair(PlaceOf(history.firings[static_cast<size_t>(race.first)]),
                                PlaceOf(history.firings[static_cast<size_t>(race.second)])));
    seen.races_at_merges_alone &= race.resource.starts_with("Merge ");
  }
  return seen;
}

}  // namespace tagflow::fuzz
