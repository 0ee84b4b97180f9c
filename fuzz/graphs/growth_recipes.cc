#include "fuzz/graphs/growth_recipes.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "fuzz/graphs/naive_static.h"
#include "graph/control_ops.h"
#include "transform/deadness/dependency_order.h"

namespace tagflow::fuzz {
namespace {

class GrowthSite : public RecipeSite {
 public:
  GrowthSite(GrowthBase& growth, int frame, Value input)
      : growth_(growth), frame_(frame), input_(std::move(input)) {}

  Graph& graph() override { return growth_.maker_.graph; }
  OutputRef input() const override { return input_.output; }
  bool is_in_root() const override { return frame_ == GrowthBase::kRoot; }
  NodeId AnyNode() override { return growth_.choices_.Of(growth_.maker_.frame(frame_).nodes); }

  std::optional<OutputRef> Brought(OutputRef value) override {
    const DType type = TypeOf(graph(), value)->dtype;
    return growth_.BroughtInto(frame_, {value, type, Span::kOnce, {}}).output;
  }

  std::optional<OutputRef> Named(std::string_view name) override {
    if (name == "p" || name == "q") return growth_.AnyBool(frame_).output;
    if (name == "n") return growth_.AnyInt(frame_).output;
    const auto* const found = growth_.Find(frame_, [&](const Value& value) {
      const Node& node = graph().node(value.output.node);
      if (name == "merge") return IsMerge(node) && value.output.index == 0 && !value.is_ref;
      if (value.type != input_.type || value.is_ref) return false;
      return name == "other" ? value.output != input_.output : IsConstantEnter(node);
    });
    return found == nullptr ? std::nullopt : std::optional(found->output);
  }

 private:
  GrowthBase& growth_;
  const int frame_;
  const Value input_;
};

bool BeginsFrame(const Recipe& recipe) {
  return recipe.text.find("Enter[") != std::string_view::npos ||
         recipe.text.find("loop ") != std::string_view::npos;
}

}  // namespace

const std::vector<const Recipe*>& RecipesOfGrowth() {
  static const std::vector<const Recipe*> kKnown = [] {
    std::vector<const Recipe*> known;
    for (const Recipe& recipe : Recipes()) {
      const bool has_vectors = recipe.text.find('<') != std::string_view::npos;
      if (!has_vectors && std::ranges::all_of(OpsOf(recipe.text), IsKnownToNaive))
        known.push_back(&recipe);
    }
    return known;
  }();
  return kKnown;
}

void AddRecipeTo(GrowthBase& growth, int frame, bool can_enter, const Swarm& recipes,
                 std::vector<Value>& feeds) {
  const DType type = growth.AnyType();
  const Value input = growth.Any(frame, type);
  std::vector<const Recipe*> fitting;
  for (const size_t row : recipes.rows()) {
    const Recipe* const recipe = RecipesOfGrowth()[row];
    const bool is_meant = can_enter || !BeginsFrame(*recipe);
    if (is_meant && Fits(*recipe, type, frame == GrowthBase::kRoot)) fitting.push_back(recipe);
  }
  if (fitting.empty()) return;
  const Recipe& recipe = *growth.choices_.Of(fitting);
  GrowthSite site(growth, frame, input);
  const Result<Added> added = AddRecipe(recipe.text, site, growth.choices_);
  if (!added.ok()) return;
  if (frame == GrowthBase::kRoot) {
    for (const OutputRef& fed : added->feeds) {
      feeds.push_back({fed, TypeOf(growth.maker_.graph, fed)->dtype, Span::kOnce, {}});
    }
  }
  const std::optional<ArgType> end = TypeOf(growth.maker_.graph, added->end);
  if (added->end == input.output || !end) return;
  growth.maker_.frame(frame).nodes.push_back(added->end.node);
  growth.maker_.Publish(frame, {added->end, end->dtype, input.span, input.conditions, end->is_ref});
}

}  // namespace tagflow::fuzz
