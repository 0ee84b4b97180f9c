// What a training step does to its variables, by reference (Apply…) and by handle (ResourceApply…).

#include <string>
#include <vector>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

bool IsGradient(const ArgDef& arg) { return arg.name == "grad" || arg.name == "delta"; }

// The variables and the gradient have one shape, everything else is a scalar.
Status ApplyShape(ShapeContext& context) {
  const std::vector<ArgDef>& args = context.node().def->inputs;
  PartialShape shape;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = args[static_cast<size_t>(i)];
    if (arg.dtype == DType::kResource) {
      TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
    } else if (arg.is_ref || IsGradient(arg)) {
      TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, context.input(i)));
    } else {
      TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, 0));
    }
  }
  if (context.num_outputs() > 0) context.set_output(0, std::move(shape));
  return Status();
}

struct Training {
  std::string name;
  std::vector<std::string> variables;
  std::vector<std::string> inputs;
  const char* flag;  // "" for none
  const char* summary;
};

// The gradient, which `delta` is too, and scalars.
void AddInputs(const Training& op, OpDefBuilder& builder) {
  for (const std::string& input : op.inputs) {
    const bool is_gradient = input == "grad" || input == "delta";
    builder.Input(input + ": T", is_gradient ? ArgRole::kData : ArgRole::kRate);
  }
}

OpDefBuilder ByReference(const Training& op) {
  OpDefBuilder builder("Apply" + op.name);
  for (const std::string& variable : op.variables) builder.Input(variable + ": Ref(T)");
  AddInputs(op, builder);
  builder.Output("out: Ref(T)").Attr("T: numbertype").Attr("use_locking: bool = false");
  if (*op.flag != '\0') builder.Attr(op.flag);
  builder.Summary(op.summary).Shape(ApplyShape);
  return builder;
}

OpDefBuilder ByHandle(const Training& op) {
  OpDefBuilder builder("ResourceApply" + op.name);
  for (const std::string& variable : op.variables) builder.Input(variable + ": resource");
  AddInputs(op, builder);
  builder.Attr("T: numbertype").Attr("use_locking: bool = false");
  if (*op.flag != '\0') builder.Attr(op.flag);
  builder.Stateful().Summary(op.summary).Shape(ApplyShape);
  return builder;
}

constexpr char kNesterov[] = "use_nesterov: bool = false";
constexpr char kUpdateSlots[] = "update_slots: bool = true";

std::vector<Training> Trainings() {
  return {
      {"GradientDescent", {"var"}, {"alpha", "delta"}, "", "var -= alpha * delta."},
      {"Momentum",
       {"var", "accum"},
       {"lr", "grad", "momentum"},
       kNesterov,
       "accum = accum * momentum + grad; var -= lr * accum."},
      {"Adam",
       {"var", "m", "v"},
       {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       kNesterov,
       "A step by the moments m and v of the gradient."},
      {"Adagrad",
       {"var", "accum"},
       {"lr", "grad"},
       kUpdateSlots,
       "accum += grad^2; var -= lr * grad / sqrt(accum)."},
      {"AdagradV2",
       {"var", "accum"},
       {"lr", "epsilon", "grad"},
       kUpdateSlots,
       "accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon)."},
      {"RMSProp",
       {"var", "ms", "mom"},
       {"lr", "rho", "momentum", "epsilon", "grad"},
       "",
       "A step by the mean square ms of the gradient, with momentum."},
  };
}

}  // namespace

Status RegisterTrainingOps(OpRegistry& registry) {
  for (const Training& op : Trainings()) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(ByReference(op)));
    TAGFLOW_RETURN_IF_ERROR(registry.Register(ByHandle(op)));
  }
  return registry.Register(ByHandle({"KerasMomentum",
                                     {"var", "accum"},
                                     {"lr", "grad", "momentum"},
                                     kNesterov,
                                     "accum = accum * momentum - lr * grad; var += accum."}));
}

}  // namespace tagflow
