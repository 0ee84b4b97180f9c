// Gradients of what is computed along a sequence: of the loss of connectionist temporal
// classification by the scores, which the op has as its second output, and of recurrent cells,
// for which there are ops.

#include <algorithm>
#include <string>
#include <vector>

#include "transform/gradients/families.h"
#include "transform/gradients/gradient_ops.h"

namespace tagflow {
namespace {

//   inputs [time, batch, classes], …; outputs: loss [batch], gradient, as inputs
Status CtcLossGradient(NodeGradient& node) {
  if (node.has_grad(1)) {
    return Unimplemented("the gradient that CTCLoss gives has no gradient itself");
  }
  const Scope& scope = node.scope();
  const Output loss = ExpandDims(scope, node.grad(0), -1);  // along the batch, for all times
  node.Give(0, Mul(scope, loss, node.output(1)));
  return Status();
}

// ---- Recurrent cells ----

// Of what is inside of a cell there is no gradient: TensorFlow takes it for 0.
//   Errors: UNIMPLEMENTED where something depends on an output that is not in `ports`
Status RequireOnly(NodeGradient& node, const std::vector<size_t>& ports) {
  const size_t count = node.node().def->outputs.size();
  for (size_t port = 0; port < count; ++port) {
    if (!node.has_grad(port) || std::ranges::count(ports, port) > 0) continue;
    return Unimplemented("the output '" + node.node().def->outputs[port].name + "' of " +
                         node.node().op + " has no gradient");
  }
  return Status();
}

// The inputs, some outputs, and the gradients by some: what ops for gradients take.
std::vector<Input> WithOutputs(NodeGradient& node, size_t outputs,
                               const std::vector<size_t>& grads) {
  std::vector<Input> inputs;
  for (size_t slot = 0; slot < node.num_inputs(); ++slot) inputs.emplace_back(node.input(slot));
  for (size_t port = 0; port < outputs; ++port) inputs.emplace_back(node.output(port));
  for (const size_t port : grads) inputs.emplace_back(node.grad(port));
  return inputs;
}

// Of [x, h] w + b, by the inputs w and b, where `g` comes back.
void GiveOfProduct(NodeGradient& node, const Output& h, const Output& g, size_t w, size_t b) {
  const Scope& scope = node.scope();
  if (node.wants(w)) {
    node.Give(w, MatMul(scope, Concat(scope, {node.input(0), h}, 1), g, true));
  }
  if (node.wants(b)) node.Give(b, Sum(scope, g, 0));
}

const std::vector<size_t> kStateAndOutput = {1, 6};  // cs and h of an LSTM

// The clipping of the state is taken for no change at all, as in TensorFlow.
Status LstmGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireOnly(node, kStateAndOutput));
  const bool is_second = node.node().op.ends_with("V2");
  const Operation backprop = Op(node.scope(), is_second ? "BlockLSTMGradV2" : "BlockLSTMGrad",
                                WithOutputs(node, 7, kStateAndOutput),
                                {{"use_peephole", BoolAttrOf(node, "use_peephole")}});
  if (!backprop.valid()) return Status();
  for (int i = 0; i < backprop.num_outputs(); ++i) {
    node.Give(static_cast<size_t>(i) + 1, backprop[i]);
  }
  return Status();
}

Status LstmStepGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireOnly(node, kStateAndOutput));
  const Scope& scope = node.scope();
  const Operation backprop = Op(scope, "LSTMBlockCellGrad", WithOutputs(node, 6, kStateAndOutput),
                                {{"use_peephole", BoolAttrOf(node, "use_peephole")}});
  if (!backprop.valid()) return Status();
  node.Give(1, backprop[0]);
  for (int i = 2; i < 5; ++i) node.Give(static_cast<size_t>(i) + 2, backprop[i]);
  const Output gates = backprop[1];
  GiveOfProduct(node, node.input(2), gates, 3, 7);
  if (!node.wants(0) && !node.wants(2)) return Status();
  const Output both = MatMul(scope, gates, node.input(3), false, true);
  const Output x_dims = node.shape_of_input(0);
  const std::vector<int32_t> start = {0, 0}, columns = {0, 1};
  node.Give(0, Slice(scope, both, Const(scope, start), x_dims));
  node.Give(2,
            Slice(scope, both, Mul(scope, x_dims, Const(scope, columns)), node.shape_of_input(2)));
  return Status();
}

Status GruGradient(NodeGradient& node) {
  TAGFLOW_RETURN_IF_ERROR(RequireOnly(node, {3}));
  const Operation backprop = Op(node.scope(), "GRUBlockCellGrad", WithOutputs(node, 3, {3}));
  if (!backprop.valid()) return Status();
  node.Give(0, backprop[0]);
  node.Give(1, backprop[1]);
  GiveOfProduct(node, node.input(1), backprop[3], 2, 4);
  GiveOfProduct(node, Mul(node.scope(), node.output(0), node.input(1)), backprop[2], 3, 5);
  return Status();
}

Status NoSecondGradient(NodeGradient& node) {
  return Unimplemented(node.node().op + " has no gradient itself, as in TensorFlow");
}

const GradientEntry kEntries[] = {{"BlockLSTM", LstmGradient},
                                  {"BlockLSTMGrad", NoSecondGradient},
                                  {"BlockLSTMGradV2", NoSecondGradient},
                                  {"BlockLSTMV2", LstmGradient},
                                  {"CTCLoss", CtcLossGradient},
                                  {"GRUBlockCell", GruGradient},
                                  {"GRUBlockCellGrad", NoSecondGradient},
                                  {"LSTMBlockCell", LstmStepGradient},
                                  {"LSTMBlockCellGrad", NoSecondGradient}};

// What best scores add up to has a gradient, but what was decoded changes in jumps, and so do
// distances; TensorFlow stops there.
constexpr const char* kStops[] = {"CTCBeamSearchDecoder", "CTCGreedyDecoder", "EditDistance"};

}  // namespace

Status RegisterSequenceGradients(GradientRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, kEntries));
  return RegisterStops(registry, kStops);
}

}  // namespace tagflow
