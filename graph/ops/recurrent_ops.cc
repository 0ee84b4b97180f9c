// Cells of recurrent networks, one step or a whole sequence in a node, and their gradients.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknownDim;

//   Errors: INVALID_ARGUMENT where the input is of another rank
Result<Dims> DimsOfRank(const ShapeContext& context, int i, int rank) {
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, i, rank));
  const PartialShape& shape = context.input(i);
  return shape.known_rank() ? shape.dims() : Dims(static_cast<size_t>(rank), kUnknown);
}

// One step: what there is for each cell, [batch, cells], of an input `like` [batch, cells] and x.
Result<PartialShape> CellsOfStep(const ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dims x, DimsOfRank(context, 0, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims before, DimsOfRank(context, 1, 2));
  return PartialShape(Dims{x[0], before[1]});
}

// Every output is [batch, cells].
Status StepShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape cells, CellsOfStep(context));
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, cells);
  return Status();
}

Status LstmStepGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape cells, CellsOfStep(context));
  const int64_t count = cells.dim(1);
  context.set_output(0, cells);
  context.set_output(1, PartialShape(Dims{cells.dim(0), shapes::MultiplyDims(count, 4)}));
  for (int i = 2; i < 5; ++i) context.set_output(i, PartialShape(Dims{count}));
  return Status();
}

// Every output is [time, batch, cells]; the bias has four numbers for each cell.
Status LstmShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Dims x, DimsOfRank(context, 1, 3));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims bias, DimsOfRank(context, 8, 1));
  if (bias[0] != kUnknown && bias[0] % 4 != 0) {
    return InvalidArgument("the bias of four gates has " + std::to_string(bias[0]) +
                           " elements, which 4 does not divide");
  }
  x[2] = bias[0] == kUnknown ? kUnknown : bias[0] / 4;
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, PartialShape(x));
  return Status();
}

// Each output is the gradient of an input, from x on.
Status LstmGradShape(ShapeContext& context) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < context.num_outputs(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(Dims dims, DimsOfRank(context, i + 1, kRanks[i]));
    context.set_output(i, PartialShape(std::move(dims)));
  }
  return Status();
}

Status GruStepGradShape(ShapeContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape cells, CellsOfStep(context));
  TAGFLOW_ASSIGN_OR_RETURN(Dims x, DimsOfRank(context, 0, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims weights, DimsOfRank(context, 2, 2));
  context.set_output(0, PartialShape(std::move(x)));
  context.set_output(1, cells);
  context.set_output(2, cells);
  context.set_output(3, PartialShape(Dims{cells.dim(0), weights[1]}));
  return Status();
}

// Arguments of one type, in order.
OpDefBuilder& Inputs(OpDefBuilder& builder, std::initializer_list<const char*> names) {
  for (const char* name : names) builder.Input(std::string(name) + ": T");
  return builder;
}
OpDefBuilder& Outputs(OpDefBuilder& builder, std::initializer_list<const char*> names) {
  for (const char* name : names) builder.Output(std::string(name) + ": T");
  return builder;
}

// What an LSTM takes: one step, or all of a sequence, which has a length.
OpDefBuilder WithLstmInputs(const char* name, bool is_sequence) {
  OpDefBuilder builder(name);
  if (is_sequence) builder.Input("seq_len_max: int64", ArgRole::kCount);
  Inputs(builder, {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"});
  return builder;
}

// Products, sigmoids of them and products of those: terms of either sign.

OpDefBuilder Lstm(const char* name, bool is_sequence, bool has_forget_bias) {
  OpDefBuilder builder = WithLstmInputs(name, is_sequence);
  Outputs(builder, {"i", "cs", "f", "o", "ci", "co", "h"});
  if (has_forget_bias) builder.Attr("forget_bias: float = 1.0");
  builder.Attr(has_forget_bias ? "cell_clip: float = 3.0" : "cell_clip: float = 0.0")
      .Attr("use_peephole: bool = false")
      .Attr("T: {half, float}")
      .Rounds(Rounding::kOfManySteps);
  return builder;
}

OpDefBuilder LstmGrad(const char* name, bool is_sequence) {
  OpDefBuilder builder = WithLstmInputs(name, is_sequence);
  Inputs(builder, {"i", "cs", "f", "o", "ci", "co"});
  if (is_sequence) builder.Input("h: T");
  Inputs(builder, {"cs_grad", "h_grad"});
  if (is_sequence) {
    Outputs(builder, {"x_grad", "cs_prev_grad", "h_prev_grad", "w_grad", "wci_grad", "wcf_grad",
                      "wco_grad", "b_grad"});
  } else {
    Outputs(builder, {"cs_prev_grad", "dicfo", "wci_grad", "wcf_grad", "wco_grad"});
  }
  builder.Attr("use_peephole: bool").Attr("T: {half, float}").Rounds(Rounding::kOfManySteps);
  return builder;
}

OpDefBuilder Gru(const char* name, bool is_gradient) {
  OpDefBuilder builder(name);
  Inputs(builder, {"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"});
  if (is_gradient) {
    Inputs(builder, {"r", "u", "c", "d_h"});
    Outputs(builder, {"d_x", "d_h_prev", "d_c_bar", "d_r_bar_u_bar"});
  } else {
    Outputs(builder, {"r", "u", "c", "h"});
  }
  builder.Attr("T: {float}").Rounds(Rounding::kOfManySteps);
  return builder;
}

}  // namespace

Status RegisterRecurrentOps(OpRegistry& registry) {
  return RegisterAll(
      registry,
      {
          Lstm("LSTMBlockCell", false, true)
              .Summary("One step of a long short-term memory.")
              .Shape(StepShape),
          LstmGrad("LSTMBlockCellGrad", false)
              .Summary("The gradient of LSTMBlockCell.")
              .Shape(LstmStepGradShape),
          Lstm("BlockLSTM", true, true)
              .Summary("A long short-term memory along a sequence, gates in the order i, c, f, o.")
              .Shape(LstmShape),
          LstmGrad("BlockLSTMGrad", true)
              .Summary("The gradient of BlockLSTM.")
              .Shape(LstmGradShape),
          Lstm("BlockLSTMV2", true, false)
              .Summary("A long short-term memory along a sequence, gates in the order i, f, c, o.")
              .Shape(LstmShape),
          LstmGrad("BlockLSTMGradV2", true)
              .Summary("The gradient of BlockLSTMV2.")
              .Shape(LstmGradShape),
          Gru("GRUBlockCell", false).Summary("One step of gated recurrent units.").Shape(StepShape),
          Gru("GRUBlockCellGrad", true)
              .Summary("The gradient of GRUBlockCell.")
              .Shape(GruStepGradShape),
      });
}

}  // namespace tagflow
