// What a run leaves behind beside its results: the history, the trace, and why tokens died. See
// interpreter.h.

#include "reference/interpreter.h"

namespace tagflow::reference {
namespace {

bool Empty(const Token& token) { return !token.value.has_value() && token.variable == nullptr; }

// What a live Merge comes after: it did not wait for its other inputs.
std::vector<int64_t> OrderOfMerge(const Instance& merge, const Iteration& iteration,
                                  const LiveInputs& inputs) {
  std::vector<int64_t> after = merge.control_firings;
  after.insert(after.end(), iteration.begun_by.begin(), iteration.begun_by.end());
  after.insert(after.end(), inputs.after.begin(), inputs.after.end());
  return after;
}

}  // namespace

// A live token at a Merge, which is the `value`-th of those that are not equal. The Merge may have
// fired by now: then it did not wait for this one, nor may it have for any before in another order.
void Interpreter::RecordLiveInput(const ProgramNode& merge, const Token& token, size_t value,
                                  Iteration& iteration) {
  if (options_.history == nullptr) return;
  LiveInputs& inputs = iteration.live_inputs[merge.place];
  const std::vector<int64_t> from =
      token.from < 0 ? std::vector<int64_t>() : std::vector<int64_t>{token.from};
  const bool is_first = inputs.race == nullptr;
  inputs.after = is_first ? from : common_past_.Latest(*options_.history, inputs.after, from);
  if (is_first) inputs.race = std::make_shared<Resource>();
  if (inputs.firing >= 0) {
    options_.history->firings[static_cast<size_t>(inputs.firing)].after =
        OrderOfMerge(InstanceOf(merge, iteration), iteration, inputs);
  }
  accesses_.push_back({inputs.race.get(), Access::kLiveToken + static_cast<int64_t>(value), true,
                       "Merge " + merge.node->name});
}

DeathPtr Interpreter::Die(const Node& source, Iteration& iteration) const {
  auto death = std::make_shared<Death>();
  death->node = &source;
  death->tag = iteration.tag;
  return death;
}

// Of a Merge all dead inputs, of another node the first.
DeathPtr Interpreter::DieOfInputs(const ProgramNode& fired, Iteration& iteration,
                                  const Instance& instance,
                                  const std::vector<Token>& inputs) const {
  DeathPtr death = Die(*fired.node, iteration);
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    const bool is_cause =
        inputs[slot].death != nullptr && (death->because.empty() || fired.role == Role::kMerge);
    if (is_cause) death->because.emplace_back(static_cast<int>(slot), inputs[slot].death);
  }
  if (death->because.empty() && instance.control_death != nullptr) {
    death->because.emplace_back(-1, instance.control_death);
  }
  return death;
}

void Interpreter::Record(const ProgramNode& fired, Iteration& iteration, const Instance& instance,
                         const std::vector<Token>& inputs) {
  if (options_.history == nullptr) return;
  Firing firing;
  firing.node = fired.node;
  firing.tag = TagOf(iteration);
  const auto live = iteration.live_inputs.find(fired.place);
  if (live != iteration.live_inputs.end()) {
    live->second.firing = current_;
    firing.after = OrderOfMerge(instance, iteration, live->second);
  } else {
    firing.after = instance.control_firings;
    firing.after.insert(firing.after.end(), iteration.begun_by.begin(), iteration.begun_by.end());
    for (const Token& input : inputs) {
      if (input.from >= 0) firing.after.push_back(input.from);
    }
  }
  options_.history->firings.push_back(std::move(firing));
  iteration.firings.push_back(current_);
}

// Feeds that a Merge has twice are a race of their own.
void Interpreter::RecordFeeds() {
  if (options_.history == nullptr || accesses_.empty()) return;
  options_.history->firings.push_back(Firing{nullptr, "", {}, std::move(accesses_)});
  accesses_.clear();
  ++next_firing_;
}

int64_t Interpreter::RecordEnd(const std::string& tag, std::vector<int64_t> after) {
  if (options_.history == nullptr) return -1;
  options_.history->firings.push_back(Firing{nullptr, tag, std::move(after), {}});
  return next_firing_++;
}

void Interpreter::Trace(const ProgramNode& fired, Iteration& iteration,
                        const std::vector<int64_t>& inputs, const Outputs& outputs) const {
  if (!options_.trace) return;
  TraceEvent event{current_, fired.node, TagOf(iteration), outputs.dead, inputs, {}, reads_};
  for (const Token& token : outputs.tokens) {
    TraceEvent::Output& output = event.outputs.emplace_back();
    output.dead = outputs.dead || Empty(token);
    output.value = token.value;
    if (token.variable != nullptr) output.reference = token.variable->name;
  }
  options_.trace(event);
}

}  // namespace tagflow::reference
