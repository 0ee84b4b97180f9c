// What a run leaves behind beside its results: the history, the trace, and why tokens died. See
// interpreter.h.

#include "reference/interpreter.h"

namespace tagflow::reference {
namespace {

bool Empty(const Token& token) { return !token.value.has_value() && token.variable == nullptr; }

}  // namespace

void Interpreter::MarkDead(const ProgramNode& fired, Iteration& iteration, const Instance& instance,
                           Outputs& outputs) {
  outputs.tokens.clear();
  outputs.death = Die(*fired.node, iteration, "", instance.death);
}

const Death* Interpreter::Die(const Node& source, Iteration& iteration, std::string reason,
                              const Death* because) {
  return &iteration.deaths.emplace_back(Death{&source, iteration.tag, std::move(reason), because});
}

// Copies a chain of deaths into an iteration that outlives the one it lies in.
const Death* Interpreter::Adopt(const Death* death, Iteration& heir) {
  if (death == nullptr) return nullptr;
  std::vector<const Death*> chain;
  for (const Death* link = death; link != nullptr; link = link->because) chain.push_back(link);
  const Death* because = nullptr;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    because =
        &heir.deaths.emplace_back(Death{(*link)->node, (*link)->tag, (*link)->reason, because});
  }
  return because;
}

void Interpreter::Record(const ProgramNode& fired, Iteration& iteration, const Instance& instance,
                         const std::vector<Token>& inputs) {
  if (options_.history == nullptr) return;
  Firing firing;
  firing.node = fired.node;
  firing.tag = iteration.tag;
  firing.after = instance.control_firings;
  firing.after.insert(firing.after.end(), iteration.begun_by.begin(), iteration.begun_by.end());
  // A live Merge did not wait for its other inputs.
  const bool live_merge = fired.role == Role::kMerge && instance.arrived.live_data > 0;
  for (size_t slot = 0; slot < inputs.size(); ++slot) {
    if (live_merge && static_cast<int>(slot) != instance.arrived.first_live) continue;
    if (inputs[slot].from >= 0) firing.after.push_back(inputs[slot].from);
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

void Interpreter::Trace(const ProgramNode& fired, const Iteration& iteration,
                        const std::vector<int64_t>& inputs, const Outputs& outputs) const {
  if (!options_.trace) return;
  TraceEvent event{current_, fired.node, iteration.tag, outputs.dead, inputs, {}, reads_};
  for (const Token& token : outputs.tokens) {
    TraceEvent::Output& output = event.outputs.emplace_back();
    output.dead = outputs.dead || Empty(token);
    output.value = token.value;
    if (token.variable != nullptr) output.reference = token.variable->name;
  }
  options_.trace(event);
}

}  // namespace tagflow::reference
