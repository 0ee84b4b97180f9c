// Maxima of windows over images, and their gradients. A maximum is NaN if any element is
// (number.4).
//
// Where several elements of a window are its maximum, the gradient goes as in TensorFlow: of
// images of two dimensions to the first of them, of images of three to each.

#include <limits>
#include <string>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/pool_windows.h"

namespace tagflow::reference {
namespace {

constexpr DTypeSet kTypes3D = {DType::kBFloat16, DType::kFloat};

using Places = std::vector<int64_t>;  // of the elements that a window sees

// The place of the first maximum, or of the first NaN. REQUIRES: there are places
template <RealElement C>
int64_t MaximumOf(const std::vector<C>& x, const Places& places) {
  int64_t most = places[0];
  for (const int64_t place : places) {
    const bool is_nan = x[most] != x[most];
    if (!is_nan && (x[place] > x[most] || x[place] != x[place])) most = place;
  }
  return most;
}

// What the maximum of nothing is.
template <RealElement C>
C Lowest(DType dtype) {
  if constexpr (std::same_as<C, uint64_t>) {
    return 0;
  } else if constexpr (IntegerElement<C>) {
    return std::numeric_limits<int64_t>::min() >> (64 - 8 * static_cast<int>(DTypeSize(dtype)));
  } else {
    return static_cast<C>(-std::numeric_limits<double>::infinity());
  }
}

//   input: images of `spatial_rank` spatial dimensions; output: the maximum of each window
//   Errors: UNIMPLEMENTED (dtype, data_format), INVALID_ARGUMENT (sizes)
template <int spatial_rank>
Status MaxPool(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const DTypeSet types = spatial_rank == 2 ? kReals : kTypes3D;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), types));
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, PoolGridOf(context, spatial_rank, input.dims()));
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> x = Load<C>(input);
      std::vector<C> maxima;
      ForEachWindow(grid, [&](int64_t, const Places& places) {
        maxima.push_back(places.empty() ? Lowest<C>(input.dtype()) : x[MaximumOf(x, places)]);
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), grid.output, maxima));
    }
    return Status();
  });
}

//   input: images [batch, rows, columns, channels], not empty
//   output: the maximum of each window;  argmax: the number of its element in the image, or with
//   include_batch_in_index in the batch
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (sizes, an argmax too large for its dtype)
Status MaxPoolWithArgmax(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, PoolGridOf(context, 2, input.dims()));
  if (input.num_elements() == 0) return InvalidArgument("tensor_in must not be empty");
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_batch, BoolAttr(context.node, "include_batch_in_index"));
  const int64_t image = input.num_elements() / grid.images;
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> x = Load<C>(input);
      std::vector<C> maxima;
      std::vector<int64_t> argmax;
      ForEachWindow(grid, [&](int64_t, const Places& places) {
        const int64_t place = MaximumOf(x, places);
        maxima.push_back(x[place]);
        argmax.push_back(in_batch ? place : place % image);
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), grid.output, maxima));
      TAGFLOW_ASSIGN_OR_RETURN(
          context.outputs[1], IndexTensor(context.signature.outputs[1].dtype, grid.output, argmax));
    }
    return Status();
  });
}

// The images, what MaxPool made of them, and a third tensor: checked, as numbers.
template <typename C>
struct GradInputs {
  std::vector<C> x, y, g;
};
template <typename C>
GradInputs<C> LoadInputs(const KernelContext& context) {
  return {Load<C>(context.inputs[0]), Load<C>(context.inputs[1]), Load<C>(context.inputs[2])};
}
// third_is_image: whether the third is as large as the images, and not as their maxima
Result<PoolGrid> CheckedGrid(const KernelContext& context, int spatial_rank, bool third_is_image) {
  const Tensor& input = context.inputs[0];
  const DTypeSet types = spatial_rank == 2 ? kReals : kTypes3D;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), types));
  for (const size_t i : {1, 2}) {
    TAGFLOW_RETURN_IF_ERROR(
        RequireSameDType(context.node.op, input.dtype(), context.inputs[i].dtype()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(PoolGrid grid, PoolGridOf(context, spatial_rank, input.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context.inputs[1], grid.output, "orig_output"));
  const DimsView third = third_is_image ? input.dims() : DimsView(grid.output);
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context.inputs[2], third, "grad"));
  return grid;
}

// Sums, in double where they are of floats, that are rounded once.
template <RealElement C>
Result<Tensor> StoreSums(DType dtype, DimsView dims, const std::vector<Accumulator<C>>& sums) {
  std::vector<C> rounded;
  for (const Accumulator<C>& sum : sums) rounded.push_back(static_cast<C>(sum));
  return Store(dtype, dims, rounded);
}

//   orig_input: images; orig_output: their maxima; grad: of the maxima
//   output: for each element of the images the sum of the gradients of the windows that it is the
//   first maximum of or, in three dimensions, a maximum
//   Errors: UNIMPLEMENTED (dtype, data_format), INVALID_ARGUMENT (sizes)
template <int spatial_rank>
Status MaxPoolGrad(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid,
                           CheckedGrid(context, spatial_rank, /*third_is_image=*/false));
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const GradInputs<C> of = LoadInputs<C>(context);
      std::vector<Accumulator<C>> sums(of.x.size());
      const auto add = [&](int64_t place, int64_t window) {
        sums[place] = Plus(sums[place], static_cast<Accumulator<C>>(of.g[window]));
      };
      ForEachWindow(grid, [&](int64_t window, const Places& places) {
        if (spatial_rank == 2 && !places.empty()) add(MaximumOf(of.x, places), window);
        if (spatial_rank == 2) return;
        for (const int64_t place : places) {
          if (of.x[place] == of.y[window]) add(place, window);
        }
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreSums<C>(input.dtype(), input.dims(), sums));
    }
    return Status();
  });
}

//   orig_input: images; orig_output: their maxima; grad: of what MaxPoolGrad gives
//   output: of each window the gradient at the first element that is orig_output, or 0
//   Errors: UNIMPLEMENTED (dtype, data_format), INVALID_ARGUMENT (sizes)
template <int spatial_rank>
Status MaxPoolGradGrad(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid,
                           CheckedGrid(context, spatial_rank, /*third_is_image=*/true));
  return WithComputingType(input.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const GradInputs<C> of = LoadInputs<C>(context);
      std::vector<C> gradients;
      ForEachWindow(grid, [&](int64_t window, const Places& places) {
        C gradient(0);
        for (const int64_t place : places) {
          if (of.x[place] != of.y[window]) continue;
          gradient = of.g[place];
          break;
        }
        gradients.push_back(gradient);
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(input.dtype(), grid.output, gradients));
    }
    return Status();
  });
}

// Where the argmax of each window is in the batch, from the number in its image if it is that.
//   Errors: INVALID_ARGUMENT for shapes, and for what is not in the images
Result<Places> ArgmaxPlaces(const KernelContext& context, const PoolGrid& grid) {
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context.inputs[2], grid.output, "argmax"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_batch, BoolAttr(context.node, "include_batch_in_index"));
  TAGFLOW_ASSIGN_OR_RETURN(Places places, IndexValues(context.inputs[2]));
  const int64_t elements = context.inputs[0].num_elements();
  const int64_t image = places.empty() ? 0 : elements / grid.images;
  const auto windows = static_cast<int64_t>(places.size()) / std::max<int64_t>(grid.images, 1);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || places[i] >= (in_batch ? elements : image)) {
      return InvalidArgument("argmax " + std::to_string(places[i]) + " is not in the images");
    }
    if (!in_batch) places[i] += static_cast<int64_t>(i) / windows * image;
  }
  return places;
}

//   input: images; grad: of their maxima; argmax: the place of each
//   output: for each element of the images the sum of the gradients of those that it is
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (sizes, an argmax that is not there)
Status MaxPoolGradWithArgmax(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& grad = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grad.dtype(), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, PoolGridOf(context, 2, input.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(grad, grid.output, "grad"));
  TAGFLOW_ASSIGN_OR_RETURN(const Places places, ArgmaxPlaces(context, grid));
  return WithComputingType(grad.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> g = Load<C>(grad);
      std::vector<Accumulator<C>> sums(static_cast<size_t>(input.num_elements()));
      for (size_t i = 0; i < places.size(); ++i) {
        Accumulator<C>& sum = sums[places[i]];
        sum = Plus(sum, static_cast<Accumulator<C>>(g[i]));
      }
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], StoreSums<C>(grad.dtype(), input.dims(), sums));
    }
    return Status();
  });
}

//   input: images; grad: of what MaxPoolGradWithArgmax gives; argmax: the place of each maximum
//   output: the gradient at each argmax
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT (sizes, an argmax that is not there)
Status MaxPoolGradGradWithArgmax(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& grad = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, grad.dtype(), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, PoolGridOf(context, 2, input.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(grad, input.dims(), "grad"));
  TAGFLOW_ASSIGN_OR_RETURN(const Places places, ArgmaxPlaces(context, grid));
  return WithComputingType(grad.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      const std::vector<C> g = Load<C>(grad);
      std::vector<C> gradients;
      for (const int64_t place : places) gradients.push_back(g[place]);
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(grad.dtype(), grid.output, gradients));
    }
    return Status();
  });
}

}  // namespace

Status RegisterMaxPoolKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"MaxPool", MaxPool<2>},
                                {"MaxPoolV2", MaxPool<2>},
                                {"MaxPool3D", MaxPool<3>},
                                {"MaxPoolWithArgmax", MaxPoolWithArgmax},
                                {"MaxPoolGrad", MaxPoolGrad<2>},
                                {"MaxPoolGradV2", MaxPoolGrad<2>},
                                {"MaxPool3DGrad", MaxPoolGrad<3>},
                                {"MaxPoolGradWithArgmax", MaxPoolGradWithArgmax},
                                {"MaxPoolGradGrad", MaxPoolGradGrad<2>},
                                {"MaxPoolGradGradV2", MaxPoolGradGrad<2>},
                                {"MaxPool3DGradGrad", MaxPoolGradGrad<3>},
                                {"MaxPoolGradGradWithArgmax", MaxPoolGradGradWithArgmax}});
}

}  // namespace tagflow::reference
