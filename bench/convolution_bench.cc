// Convolutions of ResNet-50 and of a keyword spotter, and their gradients, on one thread:
//
//   ./bazelw run --config=opt //bench:convolution_bench -- --benchmark_filter=7x7
//
// The counter flops is what a second does, of a multiplication and an addition for each product.

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/engines.h"
#include "bench/program_maker.h"

namespace tagflow::bench {
namespace {

// A square or other image, and windows with a SAME padding.
struct Layer {
  const char* name;
  int64_t height, width, channels;
  int64_t window_height, window_width;
  int64_t outputs;
  int64_t stride;
  bool is_depthwise = false;

  Dims image() const { return {1, height, width, channels}; }
  Dims filter() const {
    return {window_height, window_width, channels, is_depthwise ? outputs / channels : outputs};
  }
  Dims output() const {
    return {1, (height + stride - 1) / stride, (width + stride - 1) / stride, outputs};
  }
  double flops() const {
    const double products = static_cast<double>(window_height * window_width) *
                            static_cast<double>(is_depthwise ? 1 : channels);
    return 2 * products * static_cast<double>(*NumElements(output()));
  }
};

constexpr Layer kLayers[] = {
    {"224x224x3-7x7-64-by-2", 224, 224, 3, 7, 7, 64, 2},
    {"56x56x64-1x1-256", 56, 56, 64, 1, 1, 256, 1},
    {"56x56x64-3x3-64", 56, 56, 64, 3, 3, 64, 1},
    {"56x56x256-1x1-64", 56, 56, 256, 1, 1, 64, 1},
    {"56x56x256-1x1-512-by-2", 56, 56, 256, 1, 1, 512, 2},
    {"28x28x128-3x3-128", 28, 28, 128, 3, 3, 128, 1},
    {"14x14x256-3x3-256", 14, 14, 256, 3, 3, 256, 1},
    {"14x14x1024-1x1-256", 14, 14, 1024, 1, 1, 256, 1},
    {"7x7x512-3x3-512", 7, 7, 512, 3, 3, 512, 1},
    {"7x7x512-1x1-2048", 7, 7, 512, 1, 1, 2048, 1},
    {"49x10x1-10x4-64-by-2", 49, 10, 1, 10, 4, 64, 2},
    {"25x5x64-1x1-64", 25, 5, 64, 1, 1, 64, 1},
    {"25x5x64-3x3-depthwise", 25, 5, 64, 3, 3, 64, 1, true},
    {"112x112x32-3x3-depthwise", 112, 112, 32, 3, 3, 32, 1, true},
    {"14x14x512-3x3-depthwise", 14, 14, 512, 3, 3, 512, 1, true},
};

Tensor Sizes(const Dims& dims) {
  return Tensor::Vector<int32_t>(std::vector<int32_t>(dims.begin(), dims.end()));
}

// Which of a layer's three tensors is made of the other two.
enum class Made { kOutput, kImage, kFilter };
constexpr std::pair<const char*, Made> kMade[] = {
    {"output", Made::kOutput}, {"by-image", Made::kImage}, {"by-filter", Made::kFilter}};

Result<Program> MakeLayer(const Layer& layer, Made made) {
  ProgramMaker maker;
  const std::string op = layer.is_depthwise ? "DepthwiseConv2dNative" : "Conv2D";
  AttrList strides;
  strides.ints = {1, layer.stride, layer.stride, 1};
  const AttrMap attrs = {{"padding", "SAME"}, {"strides", strides}};
  const auto fed = [&](const char* name, const Dims& dims) {
    return maker.Fed(name, Matrix(dims, 1));
  };
  const auto sizes = [&](const Dims& dims) { return Const(maker.scope, Sizes(dims)); };
  if (made == Made::kOutput) {
    return maker.Finish(
        {Op(maker.scope, op, {fed("image", layer.image()), fed("filter", layer.filter())}, attrs)});
  }
  const Output gradient = fed("gradient", layer.output());
  if (made == Made::kImage) {
    return maker.Finish(
        {Op(maker.scope, op + "BackpropInput",
            {sizes(layer.image()), fed("filter", layer.filter()), gradient}, attrs)});
  }
  return maker.Finish({Op(maker.scope, op + "BackpropFilter",
                          {fed("image", layer.image()), sizes(layer.filter()), gradient}, attrs)});
}

void RunLayer(benchmark::State& state, const Layer& layer, Made made) {
  Result<Program> program = MakeLayer(layer, made);
  if (!program.ok()) return state.SkipWithError(program.status().ToString().c_str());
  const Result<Step> step = Prepare(*std::move(program), EngineChoice{"engine", 1});
  if (!step.ok()) return state.SkipWithError(step.status().ToString().c_str());
  for (auto _ : state) {
    const auto outputs = (*step)();
    if (!outputs.ok()) return state.SkipWithError(outputs.status().ToString().c_str());
  }
  state.counters["flops"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * layer.flops(), benchmark::Counter::kIsRate);
}

void RegisterLayers() {
  for (const Layer& layer : kLayers) {
    for (const auto& [name, made] : kMade) {
      const std::string title = std::string(layer.name) + "/" + name;
      benchmark::RegisterBenchmark(
          title.c_str(), [&layer, made](benchmark::State& state) { RunLayer(state, layer, made); });
    }
  }
}

}  // namespace
}  // namespace tagflow::bench

int main(int argc, char** argv) {
  tagflow::bench::RegisterLayers();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
