// What a training step does to its variables, by reference (Apply…) and by handle (ResourceApply…);
// and what one does to rows of them (SparseApply…, ResourceSparseApply…), whose gradient is of
// these rows alone.

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

// Variables of one shape; a row of the gradient for each row number, like a row of the variables.
Status SparseApplyShape(ShapeContext& context) {
  const std::vector<ArgDef>& args = context.node().def->inputs;
  PartialShape shape, gradient;
  int64_t count = PartialShape::kUnknownDim;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const ArgDef& arg = args[static_cast<size_t>(i)];
    const PartialShape& input = context.input(i);
    if (arg.is_ref) {
      TAGFLOW_ASSIGN_OR_RETURN(shape, MergeShapes(shape, input));
    } else if (IsGradient(arg)) {
      gradient = input;
    } else {
      const bool are_rows = arg.name == "indices";
      TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, are_rows ? 1 : 0));
      if (are_rows && input.known_rank()) count = input.dim(0);
    }
  }
  if (gradient.known_rank() && gradient.rank() == 0) {
    return InvalidArgument("the gradient of rows must not be a scalar");
  }
  PartialShape rows;  // like the variables, but for their number
  if (shape.known_rank() && shape.rank() > 0) {
    rows =
        shapes::Concatenated(PartialShape(Dims{count}), shapes::Subshape(shape, 1, shape.rank()));
  }
  TAGFLOW_RETURN_IF_ERROR(MergeShapes(gradient, rows).status());
  if (gradient.known_rank()) {
    TAGFLOW_RETURN_IF_ERROR(shapes::MergeDims(gradient.dim(0), count).status());
  }
  if (context.num_outputs() > 0) context.set_output(0, std::move(shape));
  return Status();
}

enum class Extent { kAll, kRows };  // of the variables

struct Training {
  std::string name;
  std::vector<std::string> variables;
  std::vector<std::string> inputs;
  const char* flag;  // "" for none
  const char* summary;
};

// The gradient, which `delta` is too, with the numbers of its rows where it has such; and scalars.
void AddInputs(const Training& op, Extent extent, OpDefBuilder& builder) {
  for (const std::string& input : op.inputs) {
    const bool is_gradient = input == "grad" || input == "delta";
    if (is_gradient && extent == Extent::kRows) {
      builder.Input("grad: T", ArgRole::kUpdates)
          .Input("indices: Tindices", ArgRole::kIndices)
          .Attr("Tindices: {int32, int64}");
    } else if (input == "global_step") {
      builder.Input("global_step: int64", ArgRole::kScalar);
    } else {
      builder.Input(input + ": T", is_gradient ? ArgRole::kData : ArgRole::kRate);
    }
  }
}

void Finish(const Training& op, Extent extent, OpDefBuilder& builder) {
  // What is trained comes before what names its rows: by it a device is chosen.
  builder.Attr("T: numbertype");
  AddInputs(op, extent, builder);
  builder.Attr("use_locking: bool = false");
  if (*op.flag != '\0') builder.Attr(op.flag);
  builder.Summary(op.summary).Shape(extent == Extent::kAll ? ApplyShape : SparseApplyShape);
}

OpDefBuilder ByReference(const Training& op, Extent extent) {
  OpDefBuilder builder((extent == Extent::kAll ? "Apply" : "SparseApply") + op.name);
  for (const std::string& variable : op.variables) builder.Input(variable + ": Ref(T)");
  Finish(op, extent, builder);
  builder.Output("out: Ref(T)");
  return builder;
}

OpDefBuilder ByHandle(const Training& op, Extent extent) {
  OpDefBuilder builder((extent == Extent::kAll ? "ResourceApply" : "ResourceSparseApply") +
                       op.name);
  for (const std::string& variable : op.variables) builder.Input(variable + ": resource");
  Finish(op, extent, builder);
  builder.Stateful();
  return builder;
}

constexpr char kNesterov[] = "use_nesterov: bool = false";
constexpr char kUpdateSlots[] = "update_slots: bool = true";

constexpr char kByRate[] = "multiply_linear_by_lr: bool = false";

// Of all of their variables alone.
std::vector<Training> DenseTrainings() {
  return {
      {"GradientDescent", {"var"}, {"alpha", "delta"}, "", "var -= alpha * delta."},
      {"Adam",
       {"var", "m", "v"},
       {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       kNesterov,
       "A step by the moments m and v of the gradient."},
      {"AdaMax",
       {"var", "m", "v"},
       {"beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"},
       "",
       "A step by the mean m of the gradient and its decaying maximum v."},
      {"AddSign",
       {"var", "m"},
       {"lr", "alpha", "sign_decay", "beta", "grad"},
       "",
       "var -= lr * grad * (alpha + sign_decay), less where grad's sign is not that of its mean."},
      {"PowerSign",
       {"var", "m"},
       {"lr", "logbase", "sign_decay", "beta", "grad"},
       "",
       "A step by grad times a power, greater where grad has the sign of its mean m."},
  };
}

// Also of rows.
std::vector<Training> Trainings() {
  return {
      {"Momentum",
       {"var", "accum"},
       {"lr", "grad", "momentum"},
       kNesterov,
       "accum = accum * momentum + grad; var -= lr * accum."},
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
      {"CenteredRMSProp",
       {"var", "mg", "ms", "mom"},
       {"lr", "rho", "momentum", "epsilon", "grad"},
       "",
       "A step by the variance of the gradient, ms - mg^2, with momentum."},
      {"Adadelta",
       {"var", "accum", "accum_update"},
       {"lr", "rho", "epsilon", "grad"},
       "",
       "A step by the mean squares of the gradient and of the steps before."},
      {"AdagradDA",
       {"var", "gradient_accumulator", "gradient_squared_accumulator"},
       {"grad", "lr", "l1", "l2", "global_step"},
       "",
       "A step by the sums of all gradients and of their squares, pulled towards 0."},
      {"Ftrl",
       {"var", "accum", "linear"},
       {"grad", "lr", "l1", "l2", "lr_power"},
       kByRate,
       "A step that follows the regularized leader."},
      {"FtrlV2",
       {"var", "accum", "linear"},
       {"grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"},
       kByRate,
       "A step that follows the regularized leader, whose size is made less, too."},
      {"ProximalGradientDescent",
       {"var"},
       {"alpha", "l1", "l2", "delta"},
       "",
       "var -= alpha * delta, pulled towards 0."},
      {"ProximalAdagrad",
       {"var", "accum"},
       {"lr", "l1", "l2", "grad"},
       "",
       "accum += grad^2; var -= lr * grad / sqrt(accum), pulled towards 0."},
  };
}

}  // namespace

Status RegisterTrainingOps(OpRegistry& registry) {
  for (const Training& op : DenseTrainings()) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(ByReference(op, Extent::kAll)));
    TAGFLOW_RETURN_IF_ERROR(registry.Register(ByHandle(op, Extent::kAll)));
  }
  TAGFLOW_RETURN_IF_ERROR(registry.Register(
      ByHandle({"AdamWithAmsgrad",
                {"var", "m", "v", "vhat"},
                {"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"},
                "",
                "A step by the moments m and v of the gradient, by the largest v that there was."},
               Extent::kAll)));
  for (const Extent extent : {Extent::kAll, Extent::kRows}) {
    for (const Training& op : Trainings()) {
      TAGFLOW_RETURN_IF_ERROR(registry.Register(ByReference(op, extent)));
      TAGFLOW_RETURN_IF_ERROR(registry.Register(ByHandle(op, extent)));
    }
    const Training keras = {"KerasMomentum",
                            {"var", "accum"},
                            {"lr", "grad", "momentum"},
                            kNesterov,
                            "accum = accum * momentum - lr * grad; var += accum."};
    TAGFLOW_RETURN_IF_ERROR(registry.Register(ByHandle(keras, extent)));
  }
  return Status();
}

}  // namespace tagflow
