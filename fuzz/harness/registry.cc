#include "fuzz/harness/registry.h"

#include <optional>
#include <string>
#include <utility>

#include "fuzz/gradient/call_gradients.h"
#include "fuzz/gradient/differentiable_calls.h"
#include "fuzz/gradient/gradient_properties.h"
#include "fuzz/gradient/graph_gradients.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/sample_case.h"
#include "fuzz/harness/equal.h"
#include "fuzz/harness/equal_graphs.h"
#include "fuzz/harness/equal_kernels.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {
namespace {

using Problem = std::optional<std::string>;

// Of graphs made straight from nodes.
Property OfGraphs(const GraphProperty& graphs) {
  Property property;
  property.name = "graphs-" + graphs.name;
  property.about = graphs.about;
  property.check_choices = [&graphs](Choices& choices, Setting& setting) {
    return CheckGraph(graphs, choices, setting);
  };
  property.to_case = [&graphs](Choices& choices) { return CaseOfGraph(graphs, choices); };
  return property;
}

Property OfKernels() {
  Property property;
  property.name = "kernels";
  property.about = "every op gives what its definition allows, or an error that says why";
  property.check_choices = CheckCalls;
  property.to_case = [about = property.about](Choices& choices) {
    return ToCase(LastKernelCall(choices), "kernels", about);
  };
  return property;
}

Property OfPrograms(const ProgramProperty& programs) {
  Property property;
  property.name = programs.name;
  property.about = programs.about;
  property.profile = programs.profile;
  property.opens_sessions = !programs.in_turn;
  property.check = [&programs](const Program& program, Setting& setting) -> Finding {
    Choices choices = Choices::FromSeed(setting.seed);
    const Violation violation = programs.check(program, choices, *setting.engine);
    // Another graph of the program may have no straight code, where the engine is to have no other.
    const bool is_lacking = violation && violation->find("UNIMPLEMENTED: ") != violation->npos;
    if (is_lacking) return {Finding::Kind::kUnsupported, *violation, 0};
    return Finding::Of(violation);
  };
  return property;
}

// A property of duals and the tape, which run on the reference and its rules.
Property OfDuals(const std::string& name, const std::string& about,
                 Problem (*claim)(const Program&, Choices&, const GradientCheck&)) {
  Property property;
  property.name = name;
  property.about = about;
  property.profile = "gradient";
  property.check = [claim](const Program& program, Setting& setting) {
    Choices choices = Choices::FromSeed(setting.seed);
    GradientCheck check;
    check.rules = setting.rules;
    return Finding::Of(claim(program, choices, check));
  };
  return property;
}

GraphGradientCheck GradientsBy(const Setting& setting) {
  GraphGradientCheck check;
  check.engine = setting.engine;
  return check;
}

// Of the graphs that compute gradients, which any engine of this process runs.
Property OfGradients(const std::string& name, const std::string& about,
                     Problem (*claim)(const Program&, Choices&, const GraphGradientCheck&)) {
  Property property;
  property.name = name;
  property.about = about;
  property.profile = "smooth";
  property.opens_sessions = true;
  property.check = [claim](const Program& program, Setting& setting) {
    Choices choices = Choices::FromSeed(setting.seed);
    return Finding::Of(claim(program, choices, GradientsBy(setting)));
  };
  return property;
}

// A call, and how it is differentiated: drawn apart from it, so that calls can be drawn without.
struct DerivedCall {
  GraphSample call;
  uint32_t how = 0;
};
DerivedCall DrawDerivedCall(Choices& choices) {
  GraphSample call = DrawDifferentiableCall(choices);
  return {std::move(call), static_cast<uint32_t>(choices.Seed())};
}

// Of calls of single ops, some at a time.
Property OfDerivedCalls() {
  Property property;
  property.name = "gradient-calls";
  property.about = "the gradient of a single op is what the tape says";
  property.opens_sessions = true;
  property.check_choices = [](Choices& choices, Setting& setting) -> Finding {
    do {
      const DerivedCall drawn = DrawDerivedCall(choices);
      Choices how = Choices::FromSeed(drawn.how);
      const Problem problem = CallGradientsEqualTape(drawn.call, how, GradientsBy(setting));
      if (problem.has_value()) return Finding::Fails(*problem);
    } while (choices.Chance(kMostly));
    return Finding::Holds();
  };
  property.to_case = [about = property.about](Choices& choices) {
    DerivedCall drawn;
    do {
      drawn = DrawDerivedCall(choices);
    } while (choices.Chance(kMostly));
    return ToCase(drawn.call, "gradient-calls", about);
  };
  return property;
}

std::vector<Property> MakeAll() {
  std::vector<Property> all = {EqualProperty()};
  all.push_back(OfGradients("gradient", "the gradient of a graph is what the tape says",
                            GraphGradientsEqualTape));
  all.push_back(OfDerivedCalls());
  all.push_back(
      OfGradients("second_order", "the gradient of a gradient is what duals say", SecondOrder));
  all.push_back(OfGradients("third_order", "and so is the gradient of that", ThirdOrder));
  all.push_back(
      OfDuals("tape", "the tape over the reference's run says what duals say", TapeEqualsDuals));
  all.push_back(OfDuals("finite-differences", "duals say what finite differences say",
                        DualsEqualFiniteDifferences));
  for (const ProgramProperty& property : ProgramProperties()) {
    if (property.name != "direct") all.push_back(OfPrograms(property));  // that is `equal`
  }
  for (const GraphProperty& property : GraphProperties()) all.push_back(OfGraphs(property));
  all.push_back(OfKernels());
  return all;
}

}  // namespace

const std::vector<Property>& AllProperties() {
  static const auto& all = *new std::vector<Property>(MakeAll());
  return all;
}

Result<Property> PropertyOf(std::string_view name) {
  std::string names;
  for (const Property& property : AllProperties()) {
    if (property.name == name) return property;
    names += " " + property.name;
  }
  return NotFound("there is no property '" + std::string(name) + "'; there is:" + names);
}

}  // namespace tagflow::fuzz
