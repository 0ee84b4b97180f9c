// Maxima of windows over images, and their gradients. A maximum is NaN if any element is.
//
// What is done of each window is done for all channels of a place before the next place, so that
// the loops are vectors of channels. Maxima are made of rows of windows, gradients of whole images,
// of which the windows overlap.

#include <limits>
#include <string>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/computing.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/formula.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/pool_walk.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/require_dims.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kTypes3D = SetOf(DType::kBFloat16, DType::kFloat);

// Calls choose(Computing<C>()) with the computing type of a dtype of real numbers.
template <typename F>
BoundKernel ForReal(DType dtype, F choose) {
  return ForComputingType(dtype, [&]<typename C>(Computing<C> computing) -> BoundKernel {
    if constexpr (Real<C>) {
      return choose(computing);
    } else {
      return BoundKernel();
    }
  });
}

template <Real C>
C Lowest(DType dtype) {
  if constexpr (std::same_as<C, uint64_t>) {
    return 0;
  } else if constexpr (Integer<C>) {
    const int unused = static_cast<int>(8 * (sizeof(C) - DTypeSize(dtype)));
    return std::numeric_limits<C>::min() >> unused;
  } else {
    return static_cast<C>(-std::numeric_limits<double>::infinity());
  }
}

// Whether x is a new maximum: greater than what has been, or the first NaN.
template <Real C>
bool IsAbove(C x, C most) {
  if constexpr (Integer<C>) {
    return x > most;
  } else {
    return x > most || (x != x && most == most);
  }
}

// ---- Maxima ----

template <Real C>
TAGFLOW_CLONES void MaximaOfRows(const PoolGrid& grid, const C* x, C lowest, C* y, int64_t begin,
                                 int64_t end) {
  const int64_t channels = grid.channels;
  ForEachWindow(grid, begin, end, [&](int64_t window, const WindowPlaces& places) {
    C* most = y + window;
    std::fill_n(most, channels, lowest);
    places.ForEach([&](int64_t place) {
      const C* from = x + place;
      TAGFLOW_INDEPENDENT
      for (int64_t c = 0; c < channels; ++c)
        most[c] = IsAbove(from[c], most[c]) ? from[c] : most[c];
    });
  });
}

//   input: images; output: the maximum of each window
//   Errors: INVALID_ARGUMENT (sizes)
template <Real C>
Status MaxPool(const PoolRule& rule, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, rule.Grid(context, input.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), grid.output));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<C>::Of(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<C>::Of(*out));
  if (out->num_elements() == 0) return Status();
  context.ForRanges(RowsOf(grid), RowNs(grid), [&](int64_t begin, int64_t end) {
    MaximaOfRows(grid, x.data(), Lowest<C>(input.dtype()), y.data(), begin, end);
  });
  y.Finish();
  return Status();
}

// ---- Places of maxima ----

// Of the windows of images, one after the other, the place of the first maximum in each channel.
template <Real C>
class Argmax {
 public:
  Argmax(const PoolGrid& grid, const C* x)
      : grid_(grid),
        x_(x),
        most_(static_cast<size_t>(grid.channels)),
        places_(static_cast<size_t>(grid.channels)) {}

  // Calls visit(window, maxima, places) for each window of images [begin, end): the first of its
  // elements in the output, and for each channel the maximum and its element; nothing for a window
  // of padding alone.
  template <typename Visit>
  void ForImages(int64_t begin, int64_t end, Visit visit) {
    const int64_t rows = RowsOfImage(grid_);
    ForEachWindow(grid_, begin * rows, end * rows, [&](int64_t window, const WindowPlaces& places) {
      if (places.count() == 0) return;
      Find(places);
      visit(window, most_.data(), places_.data());
    });
  }

 private:
  void Find(const WindowPlaces& places) {
    bool is_first = true;
    places.ForEach([&](int64_t place) {
      const C* from = x_ + place;
      C* most = most_.data();
      int64_t* at = places_.data();
      for (int64_t c = 0; c < grid_.channels; ++c) {
        const bool is_above = is_first || IsAbove(from[c], most[c]);
        most[c] = is_above ? from[c] : most[c];
        at[c] = is_above ? place + c : at[c];
      }
      is_first = false;
    });
  }

  const PoolGrid& grid_;
  const C* x_;
  std::vector<C> most_;
  std::vector<int64_t> places_;
};

// Places as int32 or int64.
template <typename I>
void StorePlaces(const int64_t* places, int64_t count, int64_t base, int64_t first, Tensor& out) {
  I* to = out.mutable_data<I>() + first;
  for (int64_t c = 0; c < count; ++c) to[c] = static_cast<I>(places[c] - base);
}

//   input: images [batch, rows, columns, channels], not empty
//   output: the maximum of each window;  argmax: its element's number in the image, or in the batch
//   Errors: INVALID_ARGUMENT (sizes; an argmax that its dtype cannot hold)
template <Real C>
Status MaxPoolWithArgmax(const PoolRule& rule, bool in_batch, DType index, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, rule.Grid(context, input.dims()));
  if (input.num_elements() == 0) return InvalidArgument("tensor_in must not be empty");
  const int64_t image = in_batch ? 0 : grid.places() * grid.channels;
  const int64_t numbers = in_batch ? input.num_elements() : image;
  if (index == DType::kInt32 && numbers - 1 > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("images of " + std::to_string(numbers) +
                           " elements have places that are no int32");
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), grid.output));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * argmax, context.Allocate(1, index, grid.output));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<C>::Of(input));
  TAGFLOW_ASSIGN_OR_RETURN(auto y, ElementsFor<C>::Of(*out));
  if (out->num_elements() == 0) return Status();
  const auto store = index == DType::kInt32 ? StorePlaces<int32_t> : StorePlaces<int64_t>;
  Argmax<C> find(grid, x.data());
  for (int64_t n = 0; n < grid.images; ++n) {
    find.ForImages(n, n + 1, [&](int64_t window, const C* maxima, const int64_t* places) {
      std::copy_n(maxima, grid.channels, y.data() + window);
      store(places, grid.channels, n * image, window, *argmax);
    });
  }
  y.Finish();
  return Status();
}

// ---- Gradients by images and maxima ----

// Adds what the windows of images [begin, end) give to the gradients of their elements, which are
// zeros. REQUIRES: there are windows
template <Real C>
void AddAtFirst(const PoolGrid& grid, const C* x, const C*, const C* g, C* backprop, int64_t begin,
                int64_t end) {
  Argmax<C> find(grid, x);
  find.ForImages(begin, end, [&](int64_t window, const C*, const int64_t* places) {
    for (int64_t c = 0; c < grid.channels; ++c) {
      backprop[places[c]] = Plus(backprop[places[c]], g[window + c]);
    }
  });
}
template <Real C>
TAGFLOW_CLONES void AddAtAll(const PoolGrid& grid, const C* x, const C* y, const C* g, C* backprop,
                             int64_t begin, int64_t end) {
  const int64_t rows = RowsOfImage(grid), channels = grid.channels;
  ForEachWindow(grid, begin * rows, end * rows, [&](int64_t window, const WindowPlaces& places) {
    places.ForEach([&](int64_t place) {
      TAGFLOW_INDEPENDENT
      for (int64_t c = 0; c < channels; ++c) {
        const bool is_maximum = x[place + c] == y[window + c];
        backprop[place + c] = Plus(backprop[place + c], is_maximum ? g[window + c] : C(0));
      }
    });
  });
}

// third_is_image: whether the gradient is as large as the images, and not as their maxima
Result<PoolGrid> CheckedGrid(const PoolRule& rule, const KernelContext& context,
                             bool third_is_image) {
  const DimsView image = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(PoolGrid grid, rule.Grid(context, image));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context.input(1), grid.output, "orig_output"));
  const DimsView third = third_is_image ? image : DimsView(grid.output);
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context.input(2), third, "grad"));
  return grid;
}

//   orig_input: images; orig_output: their maxima; grad: of the maxima; output: of the images
//   Errors: INVALID_ARGUMENT (sizes)
template <Real C, bool is_at_all>
Status MaxPoolGrad(const PoolRule& rule, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, CheckedGrid(rule, context, false));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), input.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<C>::Of(input));
  TAGFLOW_ASSIGN_OR_RETURN(const auto y, ElementsAs<C>::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ElementsAs<C>::Of(context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(auto backprop, ElementsFor<C>::Of(*out));
  std::fill_n(backprop.data(), input.num_elements(), C(0));
  if (g.size() > 0) {
    const auto add = is_at_all ? AddAtAll<C> : AddAtFirst<C>;
    add(grid, x.data(), y.data(), g.data(), backprop.data(), 0, grid.images);
  }
  backprop.Finish();
  return Status();
}

// For each channel of a window the gradient at the first place that is the maximum, or 0.
template <Real C>
void TakeAtFirst(const PoolGrid& grid, const C* x, const C* y, const C* g, C* out, int64_t begin,
                 int64_t end) {
  std::vector<char> is_found(static_cast<size_t>(grid.channels));
  ForEachWindow(grid, begin, end, [&](int64_t window, const WindowPlaces& places) {
    std::fill(is_found.begin(), is_found.end(), 0);
    std::fill_n(out + window, grid.channels, C(0));
    places.ForEach([&](int64_t place) {
      for (int64_t c = 0; c < grid.channels; ++c) {
        if (is_found[c] != 0 || !(x[place + c] == y[window + c])) continue;
        is_found[c] = 1;
        out[window + c] = g[place + c];
      }
    });
  });
}

//   orig_input: images; orig_output: their maxima; grad: of the images' gradients; output: as
//   maxima Errors: INVALID_ARGUMENT (sizes)
template <Real C>
Status MaxPoolGradGrad(const PoolRule& rule, KernelContext& context) {
  const Tensor& input = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, CheckedGrid(rule, context, true));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, input.dtype(), grid.output));
  TAGFLOW_ASSIGN_OR_RETURN(const auto x, ElementsAs<C>::Of(input));
  TAGFLOW_ASSIGN_OR_RETURN(const auto y, ElementsAs<C>::Of(context.input(1)));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ElementsAs<C>::Of(context.input(2)));
  TAGFLOW_ASSIGN_OR_RETURN(auto gradients, ElementsFor<C>::Of(*out));
  if (out->num_elements() == 0) return Status();
  TakeAtFirst(grid, x.data(), y.data(), g.data(), gradients.data(), 0, RowsOf(grid));
  gradients.Finish();
  return Status();
}

// ---- Gradients by argmax ----

// What takes an argmax is told here what its numbers mean.
struct ArgmaxRule {
  PoolRule pool;
  bool in_batch = false;
};

// Calls visit(i, place) for each element i of argmax and the element of the images that it names.
//   Errors: INVALID_ARGUMENT for shapes, and for what is not in the images
template <typename Visit>
Status ForEachArgmax(const ArgmaxRule& rule, const KernelContext& context, const PoolGrid& grid,
                     Visit visit) {
  TAGFLOW_RETURN_IF_ERROR(RequireDims(context.input(2), grid.output, "argmax"));
  TAGFLOW_ASSIGN_OR_RETURN(const IntView argmax, IntView::Of(context.input(2)));
  if (argmax.size() == 0) return Status();
  const int64_t image = grid.places() * grid.channels;
  const int64_t windows = grid.windows() * grid.channels;
  const int64_t most = rule.in_batch ? context.input(0).num_elements() : image;
  for (int64_t i = 0; i < argmax.size(); ++i) {
    if (argmax[i] < 0 || argmax[i] >= most) {
      return InvalidArgument("argmax " + std::to_string(argmax[i]) + " is not in the images");
    }
    visit(i, argmax[i] + (rule.in_batch ? 0 : i / windows * image));
  }
  return Status();
}

//   input: images; grad: of their maxima; argmax: the place of each;  output: as the images
//   Errors: INVALID_ARGUMENT (sizes, an argmax that is not there)
template <Real C>
Status MaxPoolGradWithArgmax(const ArgmaxRule& rule, KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& grad = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, rule.pool.Grid(context, input.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(grad, grid.output, "grad"));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, grad.dtype(), input.dims()));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ElementsAs<C>::Of(grad));
  TAGFLOW_ASSIGN_OR_RETURN(auto backprop, ElementsFor<C>::Of(*out));
  std::fill_n(backprop.data(), input.num_elements(), C(0));
  TAGFLOW_RETURN_IF_ERROR(ForEachArgmax(rule, context, grid, [&](int64_t i, int64_t place) {
    backprop[place] = Plus(backprop[place], g[i]);
  }));
  backprop.Finish();
  return Status();
}

//   input: images; grad: as the images; argmax: the place of each maximum;  output: as argmax
//   Errors: INVALID_ARGUMENT (sizes, an argmax that is not there)
template <Real C>
Status MaxPoolGradGradWithArgmax(const ArgmaxRule& rule, KernelContext& context) {
  const Tensor& grad = context.input(1);
  const DimsView image = context.input(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, rule.pool.Grid(context, image));
  TAGFLOW_RETURN_IF_ERROR(RequireDims(grad, image, "grad"));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, grad.dtype(), grid.output));
  TAGFLOW_ASSIGN_OR_RETURN(const auto g, ElementsAs<C>::Of(grad));
  TAGFLOW_ASSIGN_OR_RETURN(auto gradients, ElementsFor<C>::Of(*out));
  TAGFLOW_RETURN_IF_ERROR(ForEachArgmax(
      rule, context, grid, [&](int64_t i, int64_t place) { gradients[i] = g[place]; }));
  gradients.Finish();
  return Status();
}

// ---- Binders ----

Result<PoolRule> ReadRule(const Binding& binding, int spatial_rank) {
  const DTypeSet types = spatial_rank == 2 ? kReals : kTypes3D;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, binding.input_dtype(0), types));
  return PoolRule::Of(binding.node, spatial_rank);
}

template <int spatial_rank>
Result<BoundKernel> BindMaxPool(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolRule rule, ReadRule(binding, spatial_rank));
  return ForReal(binding.input_dtype(0), [&]<typename C>(Computing<C>) {
    return BoundKernel([rule](KernelContext& context) { return MaxPool<C>(rule, context); });
  });
}

Result<BoundKernel> BindMaxPoolWithArgmax(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolRule rule, ReadRule(binding, 2));
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_batch, BoolAttr(binding.node, "include_batch_in_index"));
  const DType index = binding.output_dtype(1);
  return ForReal(binding.input_dtype(0), [&]<typename C>(Computing<C>) {
    return BoundKernel([rule, in_batch, index](KernelContext& context) {
      return MaxPoolWithArgmax<C>(rule, in_batch, index, context);
    });
  });
}

template <int spatial_rank>
Result<BoundKernel> BindMaxPoolGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolRule rule, ReadRule(binding, spatial_rank));
  if (binding.input_dtype(0) != binding.input_dtype(2)) {
    return InvalidArgument("images and gradients must have one dtype");
  }
  return ForReal(binding.input_dtype(0), [&]<typename C>(Computing<C>) {
    return BoundKernel([rule](KernelContext& context) {
      return MaxPoolGrad<C, spatial_rank == 3>(rule, context);
    });
  });
}

template <int spatial_rank>
Result<BoundKernel> BindMaxPoolGradGrad(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolRule rule, ReadRule(binding, spatial_rank));
  return ForReal(binding.input_dtype(0), [&]<typename C>(Computing<C>) {
    return BoundKernel(
        [rule](KernelContext& context) { return MaxPoolGradGrad<C>(rule, context); });
  });
}

template <bool is_of_images>
Result<BoundKernel> BindWithArgmax(const Binding& binding) {
  ArgmaxRule rule;
  TAGFLOW_ASSIGN_OR_RETURN(rule.pool, ReadRule(binding, 2));
  TAGFLOW_ASSIGN_OR_RETURN(rule.in_batch, BoolAttr(binding.node, "include_batch_in_index"));
  return ForReal(binding.input_dtype(0), [&]<typename C>(Computing<C>) {
    return BoundKernel([rule](KernelContext& context) {
      return is_of_images ? MaxPoolGradWithArgmax<C>(rule, context)
                          : MaxPoolGradGradWithArgmax<C>(rule, context);
    });
  });
}

}  // namespace

Status RegisterMaxPoolKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"MaxPool", BindMaxPool<2>, Cost::kHeavy},
                                {"MaxPool3D", BindMaxPool<3>, Cost::kHeavy},
                                {"MaxPool3DGrad", BindMaxPoolGrad<3>, Cost::kHeavy},
                                {"MaxPool3DGradGrad", BindMaxPoolGradGrad<3>, Cost::kHeavy},
                                {"MaxPoolGrad", BindMaxPoolGrad<2>, Cost::kHeavy},
                                {"MaxPoolGradGrad", BindMaxPoolGradGrad<2>, Cost::kHeavy},
                                {"MaxPoolGradGradV2", BindMaxPoolGradGrad<2>, Cost::kHeavy},
                                {"MaxPoolGradGradWithArgmax", BindWithArgmax<false>},
                                {"MaxPoolGradV2", BindMaxPoolGrad<2>, Cost::kHeavy},
                                {"MaxPoolGradWithArgmax", BindWithArgmax<true>},
                                {"MaxPoolV2", BindMaxPool<2>, Cost::kHeavy},
                                {"MaxPoolWithArgmax", BindMaxPoolWithArgmax, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
