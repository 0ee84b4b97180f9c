#include "optimized/straight/chain_plan.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tagflow::optimized {
namespace {

class Planner {
 public:
  Planner(const ElementProgram& whole, const std::vector<int>& outputs)
      : whole_(whole), outputs_(outputs) {}

  Result<ChainPlan> Plan() {
    std::optional<std::vector<TensorType>> types = TypesOfValues(whole_);
    if (!types) return InvalidArgument("the shapes do not fit");
    types_ = *std::move(types);
    FindMakers();
    FindLevels();
    std::vector<ChainKernel> kernels = Kernels();
    return ChainPlan{std::move(types_), std::move(steps_on_host_), std::move(kernels)};
  }

 private:
  static size_t At(int value) { return static_cast<size_t>(value); }
  int num_inputs() const { return static_cast<int>(whole_.inputs.size()); }

  void FindMakers() {
    maker_.assign(whole_.inputs.size(), nullptr);
    for (const ElementInput& input : whole_.inputs) is_on_host_.push_back(input.is_given);
    for (size_t i = 0; i < whole_.steps.size(); ++i) {
      const ElementStep& step = whole_.steps[i];
      const bool on_host =
          std::ranges::all_of(step.inputs, [&](int input) { return is_on_host_[At(input)]; });
      if (on_host) steps_on_host_.push_back(i);
      is_on_host_.insert(is_on_host_.end(), At(step.num_outputs()), on_host);
      maker_.insert(maker_.end(), At(step.num_outputs()), &step);
    }
  }

  // A value that is repeated, or joined, is of a level below those that take it, and in memory.
  void FindLevels() {
    level_.assign(types_.size(), 0);
    is_kept_.assign(types_.size(), false);
    for (const int output : outputs_) is_kept_[At(output)] = !is_on_host_[At(output)];
    for (size_t value = whole_.inputs.size(); value < types_.size(); ++value) {
      const ElementStep& step = *maker_[value];
      for (const int input : step.inputs) {
        const bool is_made = input >= num_inputs() && !is_on_host_[At(input)];
        const bool is_elementwise = step.pieces == 0 && !step.joins;
        const bool repeats = is_elementwise && types_[At(input)].dims != types_[value].dims;
        const bool is_read = is_made && (repeats || maker_[At(input)]->joins);
        if (is_read) is_kept_[At(input)] = true;
        level_[value] = std::max(level_[value], level_[At(input)] + (is_read ? 1 : 0));
      }
    }
  }

  // One for each level.
  std::vector<ChainKernel> Kernels() const {
    std::vector<ChainKernel> kernels;
    for (int value = num_inputs(); At(value) < types_.size(); ++value) {
      if (!is_kept_[At(value)]) continue;
      const auto level = At(level_[At(value)]);
      if (kernels.size() <= level) kernels.resize(level + 1);
      kernels[level].outputs.push_back(value);
    }
    std::erase_if(kernels, [](const ChainKernel& kernel) { return kernel.outputs.empty(); });
    for (ChainKernel& kernel : kernels) Fill(level_[At(kernel.outputs.front())], kernel);
    return kernels;
  }

  // What the host makes, and what was kept at lower levels, is among the inputs.
  void Fill(int level, ChainKernel& kernel) const {
    std::vector<int> number(types_.size(), -1);
    const auto add_input = [&](int value, const ElementInput& input) {
      number[At(value)] = static_cast<int>(kernel.inputs.size());
      kernel.inputs.push_back(value);
      kernel.program.inputs.push_back(input);
    };
    for (int value = 0; value < num_inputs(); ++value) add_input(value, whole_.inputs[At(value)]);
    for (int value = num_inputs(); At(value) < types_.size(); ++value) {
      if (is_on_host_[At(value)]) add_input(value, {types_[At(value)], true});
    }
    for (int value = num_inputs(); At(value) < types_.size(); ++value) {
      const bool is_there = is_kept_[At(value)] && level_[At(value)] < level;
      if (is_there) add_input(value, {types_[At(value)], false});
    }
    int next = static_cast<int>(kernel.inputs.size());
    int value = num_inputs();
    for (const ElementStep& step : whole_.steps) {
      ElementStep own = step;
      for (int& input : own.inputs) input = number[At(input)];
      kernel.program.steps.push_back(std::move(own));
      for (int i = 0; i < step.num_outputs(); ++i, ++value, ++next) {
        if (number[At(value)] < 0) number[At(value)] = next;
      }
    }
    for (const int output : kernel.outputs) {
      if (HasElements(types_[At(output)])) kernel.numbers.push_back(number[At(output)]);
    }
  }

  const ElementProgram& whole_;
  const std::vector<int>& outputs_;
  std::vector<TensorType> types_;          // by value, as the rest
  std::vector<const ElementStep*> maker_;  // null: an input
  std::vector<bool> is_on_host_;           // where calls one by one have it
  std::vector<int> level_;
  std::vector<bool> is_kept_;  // it is in memory
  std::vector<size_t> steps_on_host_;
};

}  // namespace

bool HasElements(const TensorType& type) {
  return std::ranges::find(type.dims, 0) == type.dims.end();
}

Result<ChainPlan> PlanChain(const ElementProgram& whole, const std::vector<int>& outputs) {
  return Planner(whole, outputs).Plan();
}

}  // namespace tagflow::optimized
