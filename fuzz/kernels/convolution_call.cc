#include "fuzz/kernels/convolution_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/ops/convolution_geometry.h"

namespace tagflow::fuzz {
namespace {

bool HasInput(const OpDef& op, std::string_view name) {
  return std::ranges::find(op.inputs, name, &ArgDef::name) != op.inputs.end();
}

// A number for each dimension, 1 for batch and channels.
Dims Moves(const ImageLayout& layout, SizeRange sizes, Choices& choices) {
  Dims moves(static_cast<size_t>(layout.rank), 1);
  for (int i = 0; i < layout.spatial_rank(); ++i) {
    if (choices.Chance(kEvenly)) continue;
    moves[static_cast<size_t>(layout.spatial(i))] = choices.Between(sizes);
  }
  return moves;
}

Dims Paddings(const ImageLayout& layout, Choices& choices) {
  Dims paddings(2 * static_cast<size_t>(layout.rank), 0);
  for (int i = 0; i < layout.spatial_rank(); ++i) {
    const auto at = 2 * static_cast<size_t>(layout.spatial(i));
    paddings[at] = choices.Between(kUpToThree);
    paddings[at + 1] = choices.Between(kUpToThree);
  }
  return paddings;
}

void SetMoves(const OpDef& op, Graph& graph, NodeId id, const ImageLayout& layout,
              Choices& choices) {
  const AttrDef& format = *op.FindAttr("data_format");
  graph.SetAttr(id, "data_format", format.allowed_strings[layout.channels_second ? 1 : 0]);
  graph.SetAttr(id, "strides", IntList(Moves(layout, kFew, choices)));
  graph.SetAttr(id, "dilations", IntList(Moves(layout, kOneOrTwo, choices)));
  const std::string padding = choices.Of(op.FindAttr("padding")->allowed_strings);
  graph.SetAttr(id, "padding", padding);
  if (op.FindAttr("explicit_paddings") == nullptr) return;
  graph.SetAttr(id, "explicit_paddings",
                IntList(padding == "EXPLICIT" ? Paddings(layout, choices) : Dims()));
}

// The ops of _FusedConv2D, mostly those that there are; returns how many arguments they take.
int64_t SetFusedOps(Graph& graph, NodeId id, Choices& choices) {
  static const auto& activations =
      *new std::vector<std::string>{"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh"};
  const bool normalizes = choices.Chance(kSometimes);
  const int64_t num_args = normalizes ? 4 : 1;
  AttrList ops, types;
  ops.strings.push_back(normalizes ? "FusedBatchNorm" : "BiasAdd");
  if (choices.Chance(kMostly)) ops.strings.push_back(choices.Of(activations));
  const Result<DType> dtype = TypeAttr(graph.node(id), "T");
  types.types.assign(static_cast<size_t>(num_args), {dtype.ok() ? *dtype : DType::kFloat, false});
  graph.SetAttr(id, "fused_ops", ops);
  graph.SetAttr(id, "TArgs", types);
  graph.SetAttr(id, "num_args", num_args);
  graph.SetAttr(id, "num_host_args", int64_t{0});
  graph.SetAttr(id, "filter_format", std::string("HWIO"));
  return num_args;
}

}  // namespace

bool IsConvolution(const OpDef& op) {
  return op.FindAttr("padding") != nullptr && op.FindAttr("data_format") != nullptr &&
         (HasInput(op, "filter") || HasInput(op, "filter_sizes"));
}

ConvolutionCall DrawConvolution(const OpDef& op, Graph& graph, NodeId id, Choices& choices) {
  const int rank = op.name.find("3D") == std::string::npos ? 4 : 5;
  const ImageLayout layout = {rank, choices.Chance(kSometimes)};
  SetMoves(op, graph, id, layout, choices);
  const bool is_depthwise = op.name.find("Depthwise") != std::string::npos;
  const bool is_large = choices.Chance(kSeldom);  // more of some than the engine takes at once
  const int64_t depth = choices.Between(is_large ? kMany : kFew);
  const int64_t groups = choices.Between(kOneOrTwo);
  const int64_t out = choices.Between(kFew) * (is_depthwise ? 1 : groups);
  Dims places, window;
  for (int i = 0; i < layout.spatial_rank(); ++i) {
    places.push_back(choices.Between(kSeveral));
    window.push_back(choices.Between(kFew));
  }
  const Dims image =
      ImageDims(layout, choices.Between(kUpToTwo), places, is_depthwise ? depth : depth * groups);
  Dims filter = window;
  filter.insert(filter.end(), {depth, out});
  const Result<ConvolutionAttrs> attrs = ReadConvolutionAttrs(graph.node(id));
  Result<ConvolutionGeometry> geometry =
      attrs.ok() ? PlaceConvolution(*attrs, image, filter) : attrs.status();
  const Dims output = geometry.ok() ? geometry->OutputDims() : image;
  ConvolutionCall call = {{}, HasInput(op, "input_sizes") ? image : filter};
  for (const ArgDef& arg : op.inputs) {
    if (arg.name == "input") call.data.push_back(image);
    if (arg.name == "filter") call.data.push_back(filter);
    if (arg.name == "out_backprop") call.data.push_back(output);
  }
  if (op.FindAttr("fused_ops") != nullptr) {
    const int64_t num_args = SetFusedOps(graph, id, choices);
    call.data.insert(call.data.end(), static_cast<size_t>(num_args), Dims{out});
  }
  return call;
}

}  // namespace tagflow::fuzz
