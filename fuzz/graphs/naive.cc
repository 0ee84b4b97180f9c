// The transitions of docs/small_step.md. Invariants: 1. `enabled_` holds every instance that is
// enabled and has not fired; 2. between two firings neither of the rules that fire by themselves
// applies (Settle); 3. nothing is ever taken out of `instances_`.
//
// Tested by naive_test.cc, and by the agreement with the reference on random graphs.

#include "fuzz/graphs/naive.h"

#include <algorithm>
#include <utility>

#include "fuzz/graphs/naive_ops.h"
#include "fuzz/graphs/naive_static.h"

namespace tagflow::fuzz {
namespace {

using Kind = NaiveNode::Kind;

using Data = std::vector<std::optional<NaiveToken>>;

// What has arrived at (node, tag).
struct Instance {
  Data data;
  std::vector<int> controls;  // the moments they were sent at
  bool dead_control = false;
  bool enabled = false;  // or fired already
  int moment = -1;       // that it fired at
};

struct Frame {
  std::string name;
  std::string parent;  // tag
  int enters_missing = 0;
  int64_t parallel = 1;
  int64_t begun = 0;  // iterations 0 … begun-1 have begun,
  int64_t ended = 0;  // 0 … ended-1 of them ended
  struct Sent {
    int node;
    bool dead;
    std::vector<NaiveToken> outputs;
    int from;  // a moment
  };
  std::vector<int> enters;  // the moments they fired at
  int last_end = -1;        // of an iteration, where each waits for the one before
  std::vector<Sent> constants;
  std::vector<Sent> waiting;  // for iteration `begun`
  std::map<int, bool> exits;  // by node: whether it was ever live
  std::string Tags() const { return (parent.empty() ? name : parent + "/" + name) + "["; }
  std::string Tag(int64_t k) const { return Tags() + std::to_string(k) + "]"; }
};

// present(m, k) of [merge.1].
bool Present(const NaiveNode& merge, size_t slot, const std::string& tag) {
  const bool first = tag.empty() || NaivePlace(tag).iteration == 0;
  const NaiveSource source = merge.sources[slot];
  return first ? source != NaiveSource::kNextIteration : source != NaiveSource::kEnter;
}

bool Live(const std::optional<NaiveToken>& token) { return token && !token->dead; }

// What an input that came by this token is, and another that is equal to it ([merge.3]).
bool IsComparable(const NaiveToken& token) {
  return !token.value.is_ref && token.value.dtype != DType::kResource;
}
bool MayBeBoth(const NaiveNode& merge, const Data& data, const NaiveToken& token) {
  const auto first = std::find_if(data.begin(), data.end(), Live);
  if (first == data.end()) return true;
  const bool index_is_taken = !merge.consumers[1].empty() || !merge.fetches[1].empty();
  return !index_is_taken && IsComparable(token) && (*first)->value == token.value;
}

std::vector<int> LiveFrom(const Instance& merge) {
  std::vector<int> moments;
  for (const auto& token : merge.data) {
    if (Live(token)) moments.push_back(token->from);
  }
  return moments;
}

bool MergeIsDue(const NaiveNode& node, const Instance& merge, const std::string& tag) {
  if (std::any_of(merge.data.begin(), merge.data.end(), Live)) return true;
  bool any = false;
  for (size_t slot = 0; slot < merge.data.size(); ++slot) {
    if (!Present(node, slot, tag)) continue;
    any = true;
    if (!merge.data[slot]) return false;
  }
  return any;
}

bool IsDead(const NaiveNode& node, const Instance& instance) {
  if (node.kind == Kind::kTrigger) return false;
  if (node.kind == Kind::kMerge) {
    return std::none_of(instance.data.begin(), instance.data.end(), Live);
  }
  return instance.dead_control ||
         std::any_of(instance.data.begin(), instance.data.end(),
                     [](const std::optional<NaiveToken>& token) { return token->dead; });
}

Status CheckReceived(const Node& receiver, const NaiveToken& token) {
  const Result<DType> wanted = TypeAttr(receiver, "tensor_type");
  const bool fits = token.dead || (wanted.ok() && token.value.dtype == *wanted);
  return fits ? Status() : InvalidArgument("sent as another type");
}

// Of a _SwitchN, the last where the index is out of range.
size_t ChosenOutput(const NaiveNode& chooser, int64_t number) {
  if (chooser.node->op != "_SwitchN") return number != 0 ? 1 : 0;
  const size_t last = chooser.outputs - 1;
  return number < 0 || number > static_cast<int64_t>(last) ? last : static_cast<size_t>(number);
}

// What has arrived where, and what is enabled by it.
class Tokens {
 protected:
  using Key = std::pair<int, std::string>;

  Tokens(const NaiveCall& call, NaiveVariables& variables)
      : call_(call), state_{variables}, fetched_(call.fetches) {}

  const NaiveNode& node(int index) const { return call_.nodes[static_cast<size_t>(index)]; }

  void Fail(Code code, const std::string& blamed) {
    if (outcome_.code != Code::kOk) return;
    outcome_.code = code;
    outcome_.node = blamed;
  }

  Instance& At(int index, const std::string& tag) {
    Instance& instance = instances_[{index, tag}];
    instance.data.resize(node(index).sources.size());
    return instance;
  }

  void PutData(const NaiveEdge& edge, const NaiveToken& token, const std::string& tag) {
    Instance& instance = At(edge.node, tag);
    const bool is_live_at_merge = node(edge.node).kind == Kind::kMerge && !token.dead;
    if (is_live_at_merge && !MayBeBoth(node(edge.node), instance.data, token)) {
      return Fail(Code::kInvalidArgument, node(edge.node).node->name);  // [merge.3]
    }
    instance.data[static_cast<size_t>(edge.slot)] = token;
    if (is_live_at_merge && instance.moment >= 0) {
      order_.SetAnyOf(instance.moment, LiveFrom(instance));
    }
    EnableIfDue(edge.node, tag);
  }

  void PutControl(int index, bool dead, const std::string& tag, int from) {
    Instance& instance = At(index, tag);
    instance.controls.push_back(from);
    instance.dead_control = instance.dead_control || dead;
    EnableIfDue(index, tag);
  }

  void EnableIfDue(int index, const std::string& tag) {
    Instance& instance = At(index, tag);
    if (instance.enabled) return;
    if (static_cast<int>(instance.controls.size()) < node(index).controls) return;
    const bool due = node(index).kind == Kind::kMerge
                         ? MergeIsDue(node(index), instance, tag)
                         : std::all_of(instance.data.begin(), instance.data.end(),
                                       [](const auto& token) { return token.has_value(); });
    if (!due) return;
    instance.enabled = true;
    const bool waits =
        node(index).kind == Kind::kRecv && !messages_.contains(node(index).key + "@" + tag);
    (waits ? receivers_ : enabled_).emplace_back(index, tag);
  }

  // [ref.2]: a fetch reads when the token arrives.
  void Fetch(int fetch, NaiveToken token) {
    if (token.value.is_ref) state_.touches.push_back({token.value.variable, kHeld});
    const auto found = state_.variables.find(token.value.variable);
    if (token.value.is_ref && found == state_.variables.end()) {
      return Fail(Code::kFailedPrecondition, call_.fetch_nodes[static_cast<size_t>(fetch)]);
    }
    if (token.value.is_ref) token.value = found->second;
    fetched_[static_cast<size_t>(fetch)] = std::move(token);
  }

  // send(n, o, t') of the judgements.
  void Send(const Frame::Sent& sent, const std::string& tag) {
    const NaiveNode& from = node(sent.node);
    for (size_t i = 0; i < from.consumers.size(); ++i) {
      NaiveToken token = sent.outputs[i];
      token.dead = token.dead || sent.dead;
      token.from = sent.from;
      for (const int fetch : from.fetches[i]) Fetch(fetch, token);
      for (const NaiveEdge& edge : from.consumers[i]) PutData(edge, token, tag);
    }
    for (const int consumer : from.control_consumers)
      PutControl(consumer, sent.dead, tag, sent.from);
  }

  const NaiveCall& call_;
  NaiveState state_;  // M
  NaiveOrder order_;
  std::map<Key, Instance> instances_;  // T
  std::vector<Key> enabled_;
  std::vector<Key> receivers_;                  // Recvs that nothing was sent for yet
  std::map<std::string, NaiveToken> messages_;  // by key and tag
  std::vector<std::optional<NaiveToken>> fetched_;
  NaiveOutcome outcome_;
};

// Frames and iterations: how they begin and end, and what crosses their borders.
class Frames : protected Tokens {
 protected:
  using Tokens::Tokens;

  void EmitEnter(int index, const std::string& tag, Frame::Sent sent) {
    const NaiveNode& enter = node(index);
    const auto [place, is_new] = frames_.try_emplace({tag, enter.frame_name});
    Frame& frame = place->second;
    if (is_new) {
      const NaiveFrame& description = call_.frames.at(enter.frame_name);
      frame.name = enter.frame_name;
      frame.parent = tag;
      frame.enters_missing = description.enters;
      frame.parallel = description.parallel;
      frame.begun = 1;
      ever_began_.push_back(enter.frame_name);
    }
    --frame.enters_missing;
    frame.enters.push_back(sent.from);
    for (int64_t k = 0; k < frame.begun; ++k) {
      if (k == 0 || enter.is_constant) Send(sent, frame.Tag(k));
    }
    if (enter.is_constant) frame.constants.push_back(std::move(sent));
  }

  Frame& FrameAt(const NaivePlace& place) { return frames_.at({place.parent, place.name}); }

  void EmitExit(int index, const std::string& tag, const Frame::Sent& sent) {
    const NaivePlace place(tag);
    bool& live = FrameAt(place).exits[index];
    if (sent.dead) return;
    if (live) return Fail(Code::kInvalidArgument, node(index).node->name);  // [exit.3]
    live = true;
    Send(sent, place.parent);
  }

  void EmitNext(const std::string& tag, Frame::Sent sent) {
    if (sent.dead) return;
    const NaivePlace place(tag);
    Frame& frame = FrameAt(place);
    if (place.iteration + 1 < frame.begun) return Send(sent, frame.Tag(place.iteration + 1));
    frame.waiting.push_back(std::move(sent));
    BeginIfAllowed(frame);
  }

  // All that happens at the tag comes after the moment.
  void BeginsAfter(const std::string& tag, int moment) { begun_by_[tag].push_back(moment); }

  void BeginIfAllowed(Frame& frame) {
    if (frame.waiting.empty() || frame.begun - frame.ended >= frame.parallel) return;
    const std::string tag = frame.Tag(frame.begun++);
    // Of several NextIterations another may begin it in another order.
    const bool is_only_one = call_.frames.at(frame.name).next_iterations == 1;
    if (is_only_one) BeginsAfter(tag, frame.waiting[0].from);
    if (frame.parallel == 1) BeginsAfter(tag, frame.last_end);
    for (const Frame::Sent& sent : std::exchange(frame.waiting, {})) Send(sent, tag);
    for (const Frame::Sent& sent : frame.constants) Send(sent, tag);
  }

  bool IsIdle(const std::string& tag) const {
    const auto at_tag = [&](const Key& key) { return key.second == tag; };
    return std::none_of(enabled_.begin(), enabled_.end(), at_tag) &&
           std::none_of(receivers_.begin(), receivers_.end(), at_tag) &&
           std::none_of(frames_.begin(), frames_.end(),
                        [&](const auto& entry) { return entry.second.parent == tag; });
  }

  // The rules that fire by themselves: ends of iterations and of frames.
  void Settle() {
    while (EndSomething() && outcome_.code == Code::kOk) continue;
  }

  bool EndSomething() {
    for (auto& [key, frame] : frames_) {
      if (frame.ended < frame.begun) {
        const bool held = frame.ended == 0 && frame.enters_missing > 0;
        if (held || !IsIdle(frame.Tag(frame.ended))) continue;
        if (frame.parallel == 1) {
          const std::string tag = frame.Tag(frame.ended);
          frame.last_end = order_.AddEnd(tag, {frame.last_end});
        }
        ++frame.ended;
        BeginIfAllowed(frame);
        return true;
      }
      if (frame.enters_missing > 0) continue;
      const Frame over = std::move(frame);
      frames_.erase(key);
      const int end = order_.AddEnd(over.Tags(), over.enters);
      for (const auto& [exit, was_live] : over.exits) {  // [exit.2]
        const std::vector<NaiveToken> dead(1, NaiveToken{true, {}});
        if (!was_live) Send({exit, true, dead, end}, over.parent);
      }
      return true;
    }
    return false;
  }

  std::map<std::string, std::vector<int>> begun_by_;  // by tag: the moments it comes after
  std::map<std::pair<std::string, std::string>, Frame> frames_;  // F, by parent's tag and name
  std::vector<std::string> ever_began_;                          // names of frames
};

class Step : Frames {
 public:
  Step(const NaiveCall& call, const NamedTensors& feeds, NaiveVariables& variables)
      : Frames(call, variables), feeds_(feeds), fired_(call.nodes.size()) {}

  NaiveOutcome Run(const NaivePick& pick, int64_t max_firings) {
    Start();
    while (outcome_.code == Code::kOk && !enabled_.empty()) {
      if (static_cast<int64_t>(outcome_.events.size()) == max_firings) {
        Fail(Code::kResourceExhausted, "");
        break;
      }
      const auto chosen = enabled_.begin() + static_cast<std::ptrdiff_t>(pick(enabled_.size()));
      const auto [node, tag] = *chosen;
      enabled_.erase(chosen);
      Fire(node, tag);
      if (outcome_.code == Code::kOk) Settle();
    }
    outcome_.ended = outcome_.code == Code::kOk;
    if (outcome_.ended) outcome_.races = order_.Races();
    if (outcome_.ended) Finish();
    return std::move(outcome_);
  }

 private:
  // Every feed and every node without inputs is there at the root tag.
  void Start() {
    for (size_t i = 0; i < feeds_.size(); ++i) {
      const NaiveToken token{false, NaiveOf(feeds_[i].second)};
      for (const NaiveEdge& edge : call_.feed_edges[i]) PutData(edge, token, "");
      for (const int consumer : call_.feed_controls[i]) PutControl(consumer, false, "", -1);
      for (const int fetch : call_.feed_fetches[i]) Fetch(fetch, token);
    }
    for (size_t i = 0; i < call_.nodes.size(); ++i) {
      if (node(static_cast<int>(i)).is_source) EnableIfDue(static_cast<int>(i), "");
    }
  }

  void Fire(int index, const std::string& tag) {
    Instance& instance = At(index, tag);
    const bool dead = IsDead(node(index), instance);
    fired_[static_cast<size_t>(index)] = true;
    now_ = order_.Add(node(index).node->name, tag, WhatCameBefore(index, instance, tag));
    instance.moment = now_;
    if (node(index).kind == Kind::kMerge) order_.SetAnyOf(now_, LiveFrom(instance));
    state_.touches.clear();
    std::vector<NaiveToken> outputs(node(index).outputs, NaiveToken{true, {}});
    Data data = instance.data;
    if (!dead) {
      Status status = ReadReferences(node(index), data);
      if (status.ok()) status = Evaluate(index, tag, data, outputs);
      if (!status.ok()) return Fail(status.code(), node(index).node->name);
    }
    if (node(index).kind == Kind::kSend) Message(index, tag, dead, data);
    outcome_.events.push_back({node(index).node, tag, dead, outputs});
    Emit(index, tag, {index, dead, std::move(outputs), now_});
    order_.SetTouches(now_, std::move(state_.touches));
  }

  // [order.1], but for the live inputs of a Merge: it waited for one of them.
  std::vector<int> WhatCameBefore(int index, const Instance& instance, const std::string& tag) {
    std::vector<int> moments = instance.controls;
    const auto begun_by = begun_by_.find(tag);
    if (begun_by != begun_by_.end()) {
      moments.insert(moments.end(), begun_by->second.begin(), begun_by->second.end());
    }
    const bool is_live_merge = node(index).kind == Kind::kMerge && !IsDead(node(index), instance);
    if (is_live_merge) return moments;
    for (const auto& token : instance.data) {
      if (token) moments.push_back(token->from);  // a dead Merge has inputs that never come
    }
    return moments;
  }

  // [ref.2]: what does not ask for a reference reads it now.
  Status ReadReferences(const NaiveNode& fired, Data& data) {
    for (size_t i = 0; i < data.size(); ++i) {
      if (!Live(data[i]) || !data[i]->value.is_ref) continue;
      const auto found = state_.variables.find(data[i]->value.variable);
      const bool has_value = found != state_.variables.end();
      const bool asks = !(fired.takes_ref[i] && fired.may_lack_value);
      if (asks) state_.touches.push_back({data[i]->value.variable, kPresence});
      if (!fired.takes_ref[i]) state_.touches.push_back({data[i]->value.variable, kHeld});
      if (!has_value && !(fired.takes_ref[i] && fired.may_lack_value)) {
        return FailedPrecondition("variable " + data[i]->value.variable + " has no value");
      }
      if (!fired.takes_ref[i]) data[i] = NaiveToken{false, found->second};
    }
    return Status();
  }

  void Message(int index, const std::string& tag, bool dead, const Data& data) {
    const std::string key = node(index).key + "@" + tag;
    const NaiveToken token = dead ? NaiveToken{true, {}} : *data[0];
    if (!messages_.emplace(key, token).second) {
      return Fail(Code::kInvalidArgument, node(index).node->name);  // [rendezvous.3]
    }
    for (size_t i = 0; i < receivers_.size();) {
      const Key receiver = receivers_[i];
      if (node(receiver.first).key + "@" + receiver.second != key) {
        ++i;
        continue;
      }
      receivers_.erase(receivers_.begin() + static_cast<std::ptrdiff_t>(i));
      enabled_.push_back(receiver);
    }
  }

  Status Evaluate(int index, const std::string& tag, const Data& data,
                  std::vector<NaiveToken>& outputs) {
    const NaiveNode& fired = node(index);
    switch (fired.kind) {
      case Kind::kSwitch:
        outputs[ChosenOutput(fired, data[1]->value.number)] = *data[0];
        return Status();
      case Kind::kMerge: {
        const auto live = std::find_if(data.begin(), data.end(), Live);
        outputs[0] = **live;
        outputs[1] = {false, {DType::kInt32, live - data.begin(), ""}};
        return Status();
      }
      case Kind::kEnter:
      case Kind::kExit:
      case Kind::kNextIteration:
      case Kind::kLoopCond:
        outputs[0] = *data[0];
        return Status();
      case Kind::kRecv:
        outputs[0] = messages_.at(fired.key + "@" + tag);
        return CheckReceived(*fired.node, outputs[0]);
      case Kind::kTrigger:
      case Kind::kSend:
        return Status();
      case Kind::kOrdinary:
        return Compute(fired, tag, data, outputs);
    }
    return Status();
  }

  Status Compute(const NaiveNode& fired, const std::string& tag, const Data& data,
                 std::vector<NaiveToken>& outputs) {
    std::vector<NaiveValue> inputs;
    for (const auto& token : data) inputs.push_back(token->value);
    std::vector<NaiveValue> values;
    TAGFLOW_RETURN_IF_ERROR(fired.op({*fired.node, tag, inputs, state_}, values));
    for (size_t i = 0; i < values.size(); ++i) outputs[i] = {false, values[i]};
    return Status();
  }

  void Emit(int index, const std::string& tag, Frame::Sent sent) {
    switch (node(index).kind) {
      case Kind::kEnter:
        return EmitEnter(index, tag, std::move(sent));
      case Kind::kExit:
        return EmitExit(index, tag, sent);
      case Kind::kNextIteration:
        return EmitNext(tag, std::move(sent));
      default:
        return Send(sent, tag);
    }
  }

  // [step.2] and [fetch.1].
  void Finish() {
    for (size_t i = 0; i < fetched_.size(); ++i) {
      if (!fetched_[i]) return Fail(Code::kFailedPrecondition, call_.fetch_nodes[i]);
      if (fetched_[i]->dead) return Fail(Code::kInvalidArgument, call_.fetch_nodes[i]);
      outcome_.fetched.push_back(*fetched_[i]);
    }
    for (size_t i = 0; i < call_.nodes.size(); ++i) {
      const NaiveNode& target = call_.nodes[i];
      if (target.is_target && !fired_[i] && IsOwed(target)) {
        return Fail(Code::kFailedPrecondition, target.node->name);
      }
    }
    if (!receivers_.empty()) Fail(Code::kFailedPrecondition, "");
  }

  bool IsOwed(const NaiveNode& target) const {
    if (target.frame_path.empty()) return true;
    const bool began = std::find(ever_began_.begin(), ever_began_.end(),
                                 target.frame_path.front()) != ever_began_.end();
    return !began || std::any_of(frames_.begin(), frames_.end(), [&](const auto& entry) {
      return std::find(target.frame_path.begin(), target.frame_path.end(), entry.second.name) !=
             target.frame_path.end();
    });
  }

  const NamedTensors& feeds_;
  int now_ = -1;  // the firing's moment
  std::vector<bool> fired_;
};

}  // namespace

struct Naive::Static {
  const GraphSample& sample;
  NaiveCall call;
};

Naive::Naive(const GraphSample& sample) : static_(new Static{sample, ReadNaiveCall(sample)}) {}
Naive::~Naive() = default;

Status Naive::Supported() const {
  for (const NaiveNode& node : static_->call.nodes) {
    if (node.kind != Kind::kOrdinary || node.op != nullptr) continue;
    return Unimplemented("the naive executor has no op " + node.node->op).WithNode(node.node->name);
  }
  return Status();
}

NaiveOutcome Naive::Run(size_t run, NaiveVariables& variables, const NaivePick& pick,
                        int64_t max_firings) const {
  return Step(static_->call, static_->sample.runs[run], variables).Run(pick, max_firings);
}

}  // namespace tagflow::fuzz
