#include "fuzz/harness/registry.h"

#include <optional>
#include <string>
#include <utility>

#include "fuzz/gradient/call_gradients.h"
#include "fuzz/gradient/differentiable_calls.h"
#include "fuzz/gradient/gradient_properties.h"
#include "fuzz/gradient/graph_gradients.h"
#include "fuzz/graphs/placed_property.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/graphs/sample_case.h"
#include "fuzz/harness/equal.h"
#include "fuzz/harness/equal_graphs.h"
#include "fuzz/harness/equal_kernels.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"
#include "fuzz/properties/properties.h"

namespace tagflow::fuzz {
namespace {

// Of graphs made straight from nodes.
Property Adapt(const GraphProperty& graphs, const std::string& name) {
  Property property;
  property.name = name;
  property.about = graphs.about;
  property.check_choices = [&graphs](Choices& choices, Setting& setting) {
    const GraphSample sample = graphs.generate(choices);
    const Problem problem = graphs.check(sample, choices, *setting.rules);
    return problem.has_value() ? Finding::Fails(*problem) : Finding::Holds();
  };
  property.to_case = [&graphs](Choices& choices) {
    return ToCase(graphs.generate(choices), graphs.name, graphs.about);
  };
  return property;
}

// Over devices, whose sessions any engine of this process has.
Property OfDevices(const GraphProperty& graphs, const std::string& name) {
  Property property = Adapt(graphs, name);
  property.check_choices = [&graphs](Choices& choices, Setting& setting) -> Finding {
    if (setting.runner == nullptr) {
      return {Finding::Kind::kUnsupported, "it is for engines of this process", 0};
    }
    const GraphSample sample = graphs.generate(choices);
    const Problem problem = SurvivesCutting(sample, choices, *setting.runner);
    return problem.has_value() ? Finding::Fails(*problem) : Finding::Holds();
  };
  return property;
}

Property Adapt(const ProgramProperty& programs) {
  Property property;
  property.name = programs.name;
  property.about = programs.about;
  property.profile = programs.profile;
  property.check = [&programs](const Program& program, Setting& setting) -> Finding {
    if (setting.runner == nullptr) {
      return {Finding::Kind::kUnsupported, "it is for engines of this process", 0};
    }
    Choices choices = Choices::FromSeed(setting.seed);
    const Violation violation = programs.check(program, choices, *setting.runner);
    return violation.has_value() ? Finding::Fails(*violation) : Finding::Holds();
  };
  return property;
}

using GradientClaim = std::optional<std::string> (*)(const Program&, Choices&,
                                                     const GradientCheck&);

Property OfGradients(const std::string& name, const std::string& about, GradientClaim claim) {
  Property property;
  property.name = name;
  property.about = about;
  property.profile = "gradient";
  property.check = [claim](const Program& program, Setting& setting) {
    Choices choices = Choices::FromSeed(setting.seed);
    GradientCheck check;
    check.rules = setting.rules;
    const std::optional<std::string> problem = claim(program, choices, check);
    return problem.has_value() ? Finding::Fails(*problem) : Finding::Holds();
  };
  return property;
}

using GraphGradientClaim = std::optional<std::string> (*)(const Program&, Choices&,
                                                          const GraphGradientCheck&);

Property OfGraphGradients(const std::string& name, const std::string& about,
                          GraphGradientClaim claim) {
  Property property;
  property.name = name;
  property.about = about;
  property.profile = "smooth";
  property.check = [claim](const Program& program, Setting& setting) -> Finding {
    if (setting.runner == nullptr) {
      return {Finding::Kind::kUnsupported, "it is for engines of this process", 0};
    }
    Choices choices = Choices::FromSeed(setting.seed);
    GraphGradientCheck check;
    check.runner = setting.runner;
    const std::optional<std::string> problem = claim(program, choices, check);
    return problem.has_value() ? Finding::Fails(*problem) : Finding::Holds();
  };
  return property;
}

constexpr int kMoreCallsPercent = 75;

// A call, and how it is differentiated: drawn apart from it, so that calls can be drawn without.
struct DerivedCall {
  GraphSample call;
  uint32_t how = 0;
};
DerivedCall DrawDerivedCall(Choices& choices) {
  GraphSample call = DrawDifferentiableCall(choices);
  return {std::move(call), choices.Below(1 << 16)};
}

// Besides programs, of calls of single ops, some at a time.
Property OfFirstOrder() {
  Property property = OfGraphGradients("gradient", "the gradient of a graph is what the tape says",
                                       GraphGradientsEqualTape);
  property.check_choices = [](Choices& choices, Setting& setting) -> Finding {
    if (setting.runner == nullptr) {
      return {Finding::Kind::kUnsupported, "it is for engines of this process", 0};
    }
    GraphGradientCheck check;
    check.runner = setting.runner;
    do {
      const DerivedCall drawn = DrawDerivedCall(choices);
      Choices how = Choices::FromSeed(drawn.how);
      const std::optional<std::string> problem = CallGradientsEqualTape(drawn.call, how, check);
      if (problem.has_value()) return Finding::Fails(*problem);
    } while (choices.Chance(kMoreCallsPercent));
    return Finding::Holds();
  };
  property.to_case = [](Choices& choices) {
    DerivedCall drawn;
    do {
      drawn = DrawDerivedCall(choices);
    } while (choices.Chance(kMoreCallsPercent));
    return ToCase(drawn.call, "gradient", "the gradient of what it gives is what the tape says");
  };
  return property;
}

Property OfKernels() {
  Property property = Adapt(KernelProperty(), KernelProperty().name);
  property.check_choices = [](Choices& choices, Setting& setting) {
    return CheckCall(DrawKernelCall(choices), setting);
  };
  return property;
}

std::vector<Property> MakeAll() {
  std::vector<Property> all = {EqualProperty()};
  AddGraphs(all.front());
  all.push_back(OfFirstOrder());
  all.push_back(OfGraphGradients("second_order", "the gradient of a gradient is what duals say",
                                 SecondOrder));
  all.push_back(OfGraphGradients("third_order", "and so is the gradient of that", ThirdOrder));
  all.push_back(OfGradients("tape", "the tape over the reference's run says what duals say",
                            TapeEqualsDuals));
  all.push_back(OfGradients("finite-differences", "duals say what finite differences say",
                            DualsEqualFiniteDifferences));
  for (const ProgramProperty& property : ProgramProperties()) {
    if (property.name != "direct") all.push_back(Adapt(property));  // that is `equal`
  }
  for (const GraphProperty& property : GraphProperties()) {
    const bool is_of_devices = property.check == &SurvivesCuttingByRules;
    const std::string name = "graphs-" + property.name;
    all.push_back(is_of_devices ? OfDevices(property, name) : Adapt(property, name));
  }
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
