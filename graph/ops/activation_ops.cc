// Activation functions of neural networks, and their gradients, element by element.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr char kFloats[] = "T: {half, bfloat16, float, double}";
constexpr char kReals[] = "T: realnumbertype";

// features: T -> activations: T
struct Activation {
  const char* name;
  const char* types;
  const char* summary;
};
constexpr Activation kActivations[] = {
    {"Relu", "T: {realnumbertype, qint8}", "x where it is above 0, else 0."},
    {"Relu6", kReals, "x between 0 and 6, else the nearer of the two."},
    {"Elu", kFloats, "x where it is above 0, else exp(x) - 1."},
    {"Selu", kFloats, "scale * x where x is above 0, else scale * alpha * (exp(x) - 1)."},
    {"Softplus", kFloats, "log(1 + exp(x))."},
    {"Softsign", kFloats, "x / (1 + |x|)."},
};

// gradients: T, and what `second` names: T -> backprops: T
struct Gradient {
  const char* name;
  const char* second;
  const char* types;
  const char* summary;
};
constexpr Gradient kGradients[] = {
    {"ReluGrad", "features", kReals, "The gradients where features is above 0, else 0."},
    {"Relu6Grad", "features", kReals, "The gradients where features is between 0 and 6, else 0."},
    {"EluGrad", "outputs", kFloats, "The gradient of Elu by its outputs."},
    {"SeluGrad", "outputs", kFloats, "The gradient of Selu by its outputs."},
    {"SoftplusGrad", "features", kFloats, "gradients / (1 + exp(-features))."},
    {"SoftsignGrad", "features", kFloats, "gradients / (1 + |features|) ** 2."},
};

std::vector<OpDefBuilder> LeakyOps() {
  return {
      OpDefBuilder("LeakyRelu")
          .Input("features: T")
          .Output("activations: T")
          .Attr("alpha: float = 0.2")
          .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
          .Summary("x where it is above 0, else alpha * x.")
          .Shape(shapes::Unchanged),
      OpDefBuilder("LeakyReluGrad")
          .Input("gradients: T")
          .Input("features: T")
          .Output("backprops: T")
          .Attr("alpha: float = 0.2")
          .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
          .Summary("The gradients where features is above 0, else alpha times them.")
          .Shape(shapes::Merged),
  };
}

}  // namespace

Status RegisterActivationOps(OpRegistry& registry) {
  for (const Activation& op : kActivations) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input("features: T")
                                                  .Output("activations: T")
                                                  .Attr(op.types)
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Unchanged)));
  }
  for (const Gradient& op : kGradients) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(OpDefBuilder(op.name)
                                                  .Input("gradients: T")
                                                  .Input(std::string(op.second) + ": T")
                                                  .Output("backprops: T")
                                                  .Attr(op.types)
                                                  .Summary(op.summary)
                                                  .Shape(shapes::Merged)));
  }
  return RegisterAll(registry, LeakyOps());
}

}  // namespace tagflow
