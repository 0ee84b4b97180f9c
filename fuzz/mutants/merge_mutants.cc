// Mutants of Merge.

#include <algorithm>

#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::Arrivals;
using reference::Needs;
using reference::SourceKind;
using reference::StandardRules;

void AddPresence(std::vector<Mutant>& all) {
  Add(all, "merge.1", "waits-for-all-inputs", "every input is present in every iteration")
      .rules.merge_present = [](SourceKind, int64_t) { return true; };
  Add(all, "merge.1", "enters-stay-in-later-iterations", "Enters are present in later iterations",
      "an Enter counted in later iterations")
      .rules.merge_present = [](SourceKind source, int64_t iteration) {
    return iteration > 0 || source != SourceKind::kNextIteration;
  };
  Add(all, "merge.1", "constants-leave-with-the-enters", "no Enter is present in later iterations")
      .rules.merge_present = [](SourceKind source, int64_t iteration) {
    if (source == SourceKind::kConstantEnter) return iteration == 0;
    return StandardRules().merge_present(source, iteration);
  };
  Add(all, "merge.1", "no-constants", "a constant Enter is never present",
      "a dead constant Enter at a Merge was forgotten")
      .rules.merge_present = [](SourceKind source, int64_t iteration) {
    return source != SourceKind::kConstantEnter && StandardRules().merge_present(source, iteration);
  };
  Add(all, "merge.1", "one-iteration-late", "iteration 1 counts as iteration 0")
      .rules.merge_present = [](SourceKind source, int64_t iteration) {
    return StandardRules().merge_present(source, std::max<int64_t>(iteration - 1, 0));
  };
}

void AddLive(std::vector<Mutant>& all) {
  Add(all, "merge.2", "control-is-not-awaited", "fires on the first live data input at once")
      .rules.merge_live = [](const Needs&, const Arrivals& arrived) {
    return arrived.live_data > 0;
  };
  Add(all, "merge.2", "one-control-input-is-enough", "fires after the first control input")
      .rules.merge_live = [](const Needs& needs, const Arrivals& arrived) {
    return arrived.live_data > 0 && arrived.control() >= std::min(1, needs.control);
  };
  Add(all, "merge.2", "waits-for-all-data", "fires when all its data inputs are there")
      .rules.merge_live = [](const Needs& needs, const Arrivals& arrived) {
    return StandardRules().merge_live(needs, arrived) && arrived.data() >= needs.data;
  };
  Add(all, "merge.3", "two-live-inputs-are-fine", "the first of two live inputs is taken",
      "a Merge of two live inputs gave one of them, by timing")
      .rules.merge_second_live = [](int, int, const std::string&) { return Status(); };
  Add(all, "merge.3", "equal-inputs-race", "a second live input is an error though it is equal",
      "a gradient that joins a shape and a constant could not be run")
      .rules.merge_inputs_differ = [](const Tensor&, const Tensor&, bool) {
    return std::string("two are two");
  };
  Add(all, "merge.3", "equal-numbers-are-equal", "0 and -0 are equal, a NaN and its copy are not")
      .rules.merge_inputs_differ = [](const Tensor& first, const Tensor& second, bool taken) {
    if (first.dtype() != DType::kFloat || second.dtype() != DType::kFloat || taken ||
        !std::ranges::equal(first.dims(), second.dims())) {
      return StandardRules().merge_inputs_differ(first, second, taken);
    }
    const bool same = std::ranges::equal(first.flat<float>(), second.flat<float>());
    return same ? std::string() : std::string("their numbers differ");
  };
  Add(all, "merge.3", "shapes-do-not-matter", "inputs of the same elements are equal")
      .rules.merge_inputs_differ = [](const Tensor& first, const Tensor& second, bool taken) {
    if (!first.has_value() || first.num_elements() != second.num_elements()) {
      return StandardRules().merge_inputs_differ(first, second, taken);
    }
    return StandardRules().merge_inputs_differ(first, second.Reshaped(first.dims()), taken);
  };
  Add(all, "merge.3", "the-index-does-not-matter", "inputs are equal though value_index is taken")
      .rules.merge_inputs_differ = [](const Tensor& first, const Tensor& second, bool) {
    return StandardRules().merge_inputs_differ(first, second, false);
  };
}

void AddDead(std::vector<Mutant>& all) {
  Add(all, "merge.4", "never-dead", "a Merge of dead inputs waits for ever").rules.merge_dead =
      [](const Needs&, const Arrivals&) { return false; };
  Add(all, "merge.4", "control-inputs-keep-it", "with control inputs it never fires dead",
      "a dead loop lost its Exits when a control input of its header came last")
      .rules.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
    return needs.control == 0 && StandardRules().merge_dead(needs, arrived);
  };
  Add(all, "merge.4", "control-is-not-awaited", "fires dead before its control inputs came")
      .rules.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
    return needs.data > 0 && arrived.dead_data == needs.data;
  };
  Add(all, "merge.4", "one-dead-input-is-enough", "fires dead when the last but one is dead")
      .rules.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
    return needs.data > 0 && arrived.dead_data >= std::max(1, needs.data - 1) &&
           arrived.control() == needs.control;
  };
  Add(all, "merge.4", "two-dead-inputs-are-enough", "of three and more, two dead ones kill it")
      .rules.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
    return needs.data > 0 && arrived.dead_data >= std::min(2, needs.data) &&
           arrived.control() == needs.control;
  };
  Add(all, "merge.5", "dead-control-kills", "a dead control input makes a Merge dead")
      .rules.merge_output_dead = [](const Arrivals& arrived) {
    return arrived.live_data == 0 || arrived.dead_control > 0;
  };
  Add(all, "merge.5", "live-control-revives", "a live control input makes a dead Merge live")
      .rules.merge_output_dead = [](const Arrivals& arrived) {
    return arrived.live_data == 0 && arrived.live_control == 0;
  };
}

}  // namespace

void AddMergeMutants(std::vector<Mutant>& mutants) {
  AddPresence(mutants);
  AddLive(mutants);
  AddDead(mutants);
  Add(mutants, "merge.6", "counts-from-one", "value_index is one too high")
      .rules.merge_value_index = [](const Arrivals& arrived) { return arrived.first_live + 1; };
  Add(mutants, "merge.6", "always-zero", "value_index is 0").rules.merge_value_index =
      [](const Arrivals&) { return 0; };
  Add(mutants, "merge.6", "counts-the-dead", "value_index is the number of dead inputs before it")
      .rules.merge_value_index = [](const Arrivals& arrived) { return arrived.dead_data; };
}

}  // namespace tagflow::fuzz
