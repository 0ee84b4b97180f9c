// Convolutions and their gradients (convolution_sums.h), group by group; those with a group for
// each channel of the image channel by channel (channel_sums.h).
//
// _FusedConv2D then goes on with its bias or norm, and activation (fused_channels.h).
//
// Sums of float are float, of other floats double, and rounded once; integers wrap.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "graph/ops/convolution_geometry.h"
#include "optimized/kernels/channel_sums.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/convolution_sums.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/fused_channels.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/kept_panels.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/tile_product.h"

namespace tagflow::optimized {
namespace {

// What brings elements of a dtype into the type that is computed with; null: they are of it.
const Widening* SummingWidening(DType dtype) {
  return dtype == DType::kFloat ? nullptr : WidestWidening(dtype);
}

// Calls f(T()) with that type.
template <typename F>
Status WithSummingType(DType dtype, F f) {
  if (dtype == DType::kFloat) return f(float());
  if (dtype == DType::kInt32) return f(uint64_t());
  return f(double());
}

// The elements of a tensor: where they are, or widened in `room`.
template <typename T>
Result<const T*> Elements(const Tensor& tensor, Tensor& room) {
  const Widening* const widening = SummingWidening(tensor.dtype());
  if (widening == nullptr) return static_cast<const T*>(tensor.raw_data());
  TAGFLOW_ASSIGN_OR_RETURN(room, WidenedRoom(tensor, *widening));
  widening->load(tensor.raw_data(), room.mutable_raw_data(), tensor.num_elements());
  return static_cast<const T*>(room.raw_data());
}

SumsTarget TargetIn(Tensor& tensor) {
  return {static_cast<char*>(tensor.mutable_raw_data()), SummingWidening(tensor.dtype()),
          static_cast<int64_t>(DTypeSize(tensor.dtype()))};
}

void FillWithZeros(Tensor& tensor) {
  if (tensor.num_elements() > 0) std::memset(tensor.mutable_raw_data(), 0, tensor.byte_size());
}

// A convolution, or one of its gradients: what there is of the three tensors, and where the other
// is to go. Dims of all are known.
struct Convolution {
  ConvolutionGeometry geometry;
  ImageSteps image_steps, output_steps;

  Convolution(ConvolutionGeometry placed, DimsView image)
      : geometry(std::move(placed)),
        image_steps(ImageSteps::Of(geometry.layout, image)),
        output_steps(ImageSteps::Of(geometry.layout, geometry.OutputDims())) {}

  int64_t filter_channels() const { return geometry.filter_channels; }
  int64_t out_channels() const { return geometry.out_channels / geometry.groups; }  // of a group
  // The filter's element of channel `depth` of the image and `out` of the output.
  FilterSteps filter_steps() const {
    return {geometry.filter_channels * geometry.out_channels, geometry.out_channels, 1};
  }
  // Whether each channel of the output looks at one of the image, and there are several of these.
  bool IsByChannel() const { return geometry.filter_channels == 1 && geometry.groups > 1; }
  // Whether there is no product to be added up.
  bool IsEmpty() const {
    const Dims output = geometry.OutputDims();
    return geometry.in_channels == 0 || std::ranges::count(output, 0) > 0;
  }
};

const TapAxis kOnePlane;

// The axes of the grid whose rows are the places of the output.
std::vector<TapAxis> AxesOfOutput(const Convolution& convolution) {
  std::vector<TapAxis> axes(static_cast<size_t>(kGridAxes) - convolution.geometry.windows.size());
  for (const WindowDim& dim : convolution.geometry.windows) axes.push_back(AxisOfImage(dim));
  return axes;
}
TapGrid GridOf(const Convolution& convolution, const std::vector<TapAxis>& axes) {
  return {convolution.geometry.batch, {&axes[0], &axes[1], &axes[2]}};
}

// Calls visit(grid) for the grids whose rows are the places of the image, one for each phase along
// each axis.
template <typename Visit>
Status ForEachPhase(const Convolution& convolution, Visit visit) {
  std::vector<std::vector<TapAxis>> axes(static_cast<size_t>(kGridAxes) -
                                         convolution.geometry.windows.size());
  for (auto& plane : axes) plane.push_back(kOnePlane);
  for (const WindowDim& dim : convolution.geometry.windows) axes.push_back(AxesOfGradient(dim));
  for (const TapAxis& first : axes[0]) {
    for (const TapAxis& second : axes[1]) {
      for (const TapAxis& third : axes[2]) {
        TAGFLOW_RETURN_IF_ERROR(
            visit(TapGrid{convolution.geometry.batch, {&first, &second, &third}}));
      }
    }
  }
  return Status();
}

// About how long a multiplication and addition takes: in a product of matrices, and channel by
// channel.
constexpr double kProductNs = 0.02, kByChannelNs = 0.1;
double RowNs(const TapGrid& grid, int64_t depth, int64_t columns) {
  return kProductNs * static_cast<double>(grid.NumTaps()) * static_cast<double>(depth) *
         static_cast<double>(columns);
}
double LineNs(const TapGrid& grid, int64_t channels) {
  return kByChannelNs * static_cast<double>(grid.axes[2]->rows) *
         static_cast<double>(grid.NumTaps()) * static_cast<double>(channels);
}

int64_t NumLines(const TapGrid& grid) {
  return grid.batch * grid.axes[0]->rows * grid.axes[1]->rows;
}

// Where the channels of a group begin in a target.
SumsTarget Behind(SumsTarget target, int64_t elements) {
  target.data += elements * target.element_size;
  return target;
}

// SumTaps of all rows: in parts of rows or, where there are fewer of them than columns, of panels.
//   copied: of the filter, if it is kept; else each part copies its own
template <typename T>
Status SumInParts(const TapGrid& grid, const ImageChannels<T>& source,
                  const FilterChannels<T>& filter, const SumsTarget& target,
                  const ImageSteps& steps, const KernelContext& context,
                  CopiedPanelsPtr copied = nullptr) {
  const int64_t rows = grid.NumRows(), width = PanelColumns<T>(), panels = filter.columns / width;
  const double row_ns = RowNs(grid, source.channels, filter.columns);
  if (rows < filter.columns && panels > 1) {
    const double panel_ns = row_ns * static_cast<double>(rows) / static_cast<double>(panels);
    return context.TryRanges(panels, panel_ns, [&](int64_t begin, int64_t end) -> Status {
      const int64_t first = begin * width, behind = end == panels ? filter.columns : end * width;
      const FilterChannels<T> part = {filter.data + first * filter.steps.column, filter.steps,
                                      behind - first};
      TAGFLOW_ASSIGN_OR_RETURN(const auto packed,
                               FilterPanels<T>::Of(grid, source.channels, part, copied, begin));
      return SumTaps<T>(grid, source, packed, Behind(target, first * steps.channel), steps,
                        {0, rows});
    });
  }
  TAGFLOW_ASSIGN_OR_RETURN(const auto packed,
                           FilterPanels<T>::Of(grid, source.channels, filter, copied));
  return context.TryRanges(rows, row_ns, [&](int64_t begin, int64_t end) {
    return SumTaps<T>(grid, source, packed, target, steps, {begin, end - begin});
  });
}

// A filter, and what a node keeps of it; null where it is no constant of the graph.
struct Filter {
  const Tensor& tensor;
  KeptPanels* kept;
};

// The elements of the window that taps meet, in order.
std::vector<int64_t> TapsOf(const TapGrid& grid) {
  std::vector<int64_t> taps(static_cast<size_t>(grid.NumTaps()));
  for (size_t i = 0; i < taps.size(); ++i) taps[i] = grid.InWindow(static_cast<int64_t>(i));
  return taps;
}

template <typename T>
Status Convolve(const Convolution& convolution, const T* image, const T* elements,
                const Filter& filter, Tensor& out, const KernelContext& context) {
  const std::vector<TapAxis> axes = AxesOfOutput(convolution);
  const TapGrid grid = GridOf(convolution, axes);
  const ImageSteps &from = convolution.image_steps, &to = convolution.output_steps;
  const int64_t depth = convolution.filter_channels(), columns = convolution.out_channels();
  if (convolution.IsByChannel()) {
    const int64_t channels = convolution.geometry.in_channels;
    return context.TryRanges(
        NumLines(grid), LineNs(grid, channels * columns), [&](int64_t begin, int64_t end) {
          return SumTapsByChannel<T>(grid, {image, from, channels}, columns, elements,
                                     TargetIn(out), to, {begin, end - begin});
        });
  }
  for (int64_t group = 0; group < convolution.geometry.groups; ++group) {
    const FilterChannels<T> channels = {elements + group * columns, convolution.filter_steps(),
                                        columns};
    const auto copy = [&] { return FilterPanels<T>::Copied(grid, depth, channels); };
    const CopiedPanelsPtr copied =
        filter.kept == nullptr
            ? nullptr
            : filter.kept->For(filter.tensor, TapsOf(grid), static_cast<size_t>(group), copy);
    TAGFLOW_RETURN_IF_ERROR(
        SumInParts<T>(grid, {image + group * depth * from.channel, from, depth}, channels,
                      Behind(TargetIn(out), group * columns * to.channel), to, context, copied));
  }
  return Status();
}

template <typename T>
Status BackpropInput(const Convolution& convolution, const T* filter, const T* backprop,
                     Tensor& out, const KernelContext& context) {
  const ImageSteps &from = convolution.output_steps, &to = convolution.image_steps;
  const int64_t depth = convolution.out_channels(), columns = convolution.filter_channels();
  const FilterSteps in_filter = convolution.filter_steps();
  const FilterSteps steps = {in_filter.in_window, in_filter.column, in_filter.depth};
  return ForEachPhase(convolution, [&](const TapGrid& grid) -> Status {
    if (convolution.IsByChannel()) {
      const int64_t channels = convolution.geometry.out_channels;
      return context.TryRanges(
          NumLines(grid), LineNs(grid, channels), [&](int64_t begin, int64_t end) {
            return SumGradientByChannel<T>(grid, {backprop, from, channels}, depth, filter,
                                           TargetIn(out), to, {begin, end - begin});
          });
    }
    for (int64_t group = 0; group < convolution.geometry.groups; ++group) {
      TAGFLOW_RETURN_IF_ERROR(
          SumInParts<T>(grid, {backprop + group * depth * from.channel, from, depth},
                        {filter + group * depth, steps, columns},
                        Behind(TargetIn(out), group * columns * to.channel), to, context));
    }
    return Status();
  });
}

template <typename T>
Status BackpropFilter(const Convolution& convolution, const T* image, const T* backprop,
                      Tensor& out, const KernelContext& context) {
  const std::vector<TapAxis> axes = AxesOfOutput(convolution);
  const TapGrid grid = GridOf(convolution, axes);
  const ImageSteps &of_image = convolution.image_steps, &of_output = convolution.output_steps;
  const int64_t depth = convolution.filter_channels(), columns = convolution.out_channels();
  FillWithZeros(out);  // where no tap is
  if (convolution.IsByChannel()) {
    return SumRowsByChannel<T>(grid, {image, of_image, convolution.geometry.in_channels}, columns,
                               {backprop, of_output, convolution.geometry.out_channels},
                               TargetIn(out));
  }
  for (int64_t group = 0; group < convolution.geometry.groups; ++group) {
    const double ns_each =
        kProductNs * static_cast<double>(grid.NumRows()) * static_cast<double>(columns);
    TAGFLOW_RETURN_IF_ERROR(
        context.TryRanges(grid.NumTaps() * depth, ns_each, [&](int64_t begin, int64_t end) {
          return SumRows<T>(grid, {image + group * depth * of_image.channel, of_image, depth},
                            {backprop + group * columns * of_output.channel, of_output, columns},
                            Behind(TargetIn(out), group * columns), convolution.filter_steps(),
                            {begin, end - begin});
        }));
  }
  return Status();
}

// `compute` with the elements of two tensors, in the type of sums; zeros where there is nothing to
// be added up.
template <typename Compute>
Status Run(const Convolution& convolution, const Tensor& x, const Tensor& y, Tensor& out,
           Compute compute) {
  if (out.num_elements() == 0) return Status();
  if (convolution.IsEmpty()) {
    FillWithZeros(out);
    return Status();
  }
  return WithSummingType(x.dtype(), [&]<typename T>(T) -> Status {
    Tensor x_room, y_room;
    TAGFLOW_ASSIGN_OR_RETURN(const T* xs, Elements<T>(x, x_room));
    TAGFLOW_ASSIGN_OR_RETURN(const T* ys, Elements<T>(y, y_room));
    return compute(xs, ys);
  });
}

// The dims that an input, a vector, spells.
Result<Dims> SpelledDims(const Tensor& sizes) {
  if (sizes.rank() != 1) {
    return InvalidArgument("sizes must be a vector, not of shape " + DimsString(sizes.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView view, IntView::Of(sizes));
  return view.values();
}

// int32 where TensorFlow has such a kernel.
Status CheckDType(const Binding& binding) {
  const bool has_int32 = binding.node.op == "Conv2D" || binding.node.op == "Conv2DBackpropInput";
  const DTypeSet dtypes = has_int32 ? kFloats | SetOf(DType::kInt32) : kFloats;
  return RequireDType(binding, binding.output_dtype(0), dtypes);
}

// What a node keeps of its filter.
using KeptPanelsPtr = std::shared_ptr<KeptPanels>;
KeptPanelsPtr KeptPanelsOf(const Binding& binding) {
  return binding.IsConstant(1) ? std::make_shared<KeptPanels>() : nullptr;
}

//   inputs: image and filter
//   Errors: INVALID_ARGUMENT (PlaceConvolution), RESOURCE_EXHAUSTED
Result<Tensor*> ConvolveInputs(const ConvolutionAttrs& attrs, const KeptPanelsPtr& kept,
                               KernelContext& context) {
  const Tensor &image = context.input(0), &filter = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(ConvolutionGeometry geometry,
                           PlaceConvolution(attrs, image.dims(), filter.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, image.dtype(), geometry.OutputDims()));
  const Convolution convolution(std::move(geometry), image.dims());
  TAGFLOW_RETURN_IF_ERROR(Run(convolution, image, filter, *out, [&](auto x, auto y) {
    return Convolve(convolution, x, y, {filter, kept.get()}, *out, context);
  }));
  return out;
}

//   Errors: UNIMPLEMENTED (dtype), of ReadConvolutionAttrs and ConvolveInputs
Result<BoundKernel> BindConvolution(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(CheckDType(binding));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(binding.node));
  return BoundKernel([attrs, kept = KeptPanelsOf(binding)](KernelContext& context) {
    return ConvolveInputs(attrs, kept, context).status();
  });
}

//   inputs: image, filter, and a vector for each argument of the fused ops
//   Errors: as of the convolution, of ReadFusedOps and CheckFusedArgs
Result<BoundKernel> BindFusedConvolution(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, SetOf(DType::kFloat, DType::kDouble)));
  TAGFLOW_ASSIGN_OR_RETURN(const FusedOps ops, ReadFusedOps(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(binding.node));
  for (int i = 2; i < 2 + ops.num_args(); ++i) {
    if (binding.input_dtype(static_cast<size_t>(i)) == dtype) continue;
    return InvalidArgument("arguments of fused ops must be of the dtype of the image");
  }
  return BoundKernel([attrs, ops, kept = KeptPanelsOf(binding)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, ConvolveInputs(attrs, kept, context));
    std::vector<Tensor> args;
    for (int i = 0; i < ops.num_args(); ++i) args.push_back(context.input(2 + i));
    return FinishChannels(ops, attrs.windows.layout, args, *out);
  });
}

//   inputs: the sizes of the image, the filter, the gradient of the output
//   Errors: as of the convolution, and INVALID_ARGUMENT where the gradient has another shape
Result<BoundKernel> BindBackpropInput(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(CheckDType(binding));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(binding.node));
  return BoundKernel([attrs](KernelContext& context) -> Status {
    const Tensor &filter = context.input(1), &backprop = context.input(2);
    TAGFLOW_ASSIGN_OR_RETURN(const Dims sizes, SpelledDims(context.input(0)));
    const Dims image = SpelledImageDims(attrs, sizes, filter.dims(), backprop.dims());
    TAGFLOW_ASSIGN_OR_RETURN(ConvolutionGeometry geometry,
                             PlaceBackprop(attrs, image, filter.dims(), backprop.dims()));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, filter.dtype(), image));
    const Convolution convolution(std::move(geometry), image);
    return Run(convolution, filter, backprop, *out,
               [&](auto x, auto y) { return BackpropInput(convolution, x, y, *out, context); });
  });
}

//   inputs: the image, the sizes of the filter, the gradient of the output
//   Errors: as of the gradient by the image
Result<BoundKernel> BindBackpropFilter(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(CheckDType(binding));
  TAGFLOW_ASSIGN_OR_RETURN(const ConvolutionAttrs attrs, ReadConvolutionAttrs(binding.node));
  return BoundKernel([attrs](KernelContext& context) -> Status {
    const Tensor &image = context.input(0), &backprop = context.input(2);
    TAGFLOW_ASSIGN_OR_RETURN(const Dims filter, SpelledDims(context.input(1)));
    TAGFLOW_ASSIGN_OR_RETURN(ConvolutionGeometry geometry,
                             PlaceBackprop(attrs, image.dims(), filter, backprop.dims()));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, image.dtype(), filter));
    const Convolution convolution(std::move(geometry), image.dims());
    return Run(convolution, image, backprop, *out,
               [&](auto x, auto y) { return BackpropFilter(convolution, x, y, *out, context); });
  });
}

}  // namespace

Status RegisterConvolutionKernels(KernelRegistry& registry) {
  constexpr Cost kHeavy = Cost::kHeavy;
  return RegisterAll(registry, {{"Conv2D", BindConvolution, kHeavy},
                                {"Conv2DBackpropFilter", BindBackpropFilter, kHeavy},
                                {"Conv2DBackpropInput", BindBackpropInput, kHeavy},
                                {"Conv3D", BindConvolution, kHeavy},
                                {"Conv3DBackpropFilterV2", BindBackpropFilter, kHeavy},
                                {"Conv3DBackpropInputV2", BindBackpropInput, kHeavy},
                                {"DepthwiseConv2dNative", BindConvolution, kHeavy},
                                {"DepthwiseConv2dNativeBackpropFilter", BindBackpropFilter, kHeavy},
                                {"DepthwiseConv2dNativeBackpropInput", BindBackpropInput, kHeavy},
                                {"_FusedConv2D", BindFusedConvolution, kHeavy}});
}

}  // namespace tagflow::optimized
