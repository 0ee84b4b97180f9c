// Dilation of images, and its gradients: each element of the output comes from one element of the
// image and one of the window, the first of those whose sum is the greatest.

#include <limits>
#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// ---- Numbers ----

int64_t BitsOf(DType dtype) {
  if (dtype == DType::kInt8 || dtype == DType::kUInt8) return 8;
  if (dtype == DType::kInt16 || dtype == DType::kUInt16) return 16;
  return dtype == DType::kInt32 || dtype == DType::kUInt32 ? 32 : 64;
}

// a + b in the dtype, where integers wrap.
template <typename C>
C SumIn(DType dtype, C a, C b) {
  if constexpr (IntegerElement<C>) {
    const int64_t unused = 64 - BitsOf(dtype);
    return static_cast<C>(static_cast<uint64_t>(Plus(a, b)) << unused) >> unused;
  } else {
    return a + b;
  }
}

// The least finite number.
template <typename C>
C LowestOf(DType dtype) {
  if constexpr (std::same_as<C, int64_t>) {
    return std::numeric_limits<int64_t>::min() >> (64 - BitsOf(dtype));
  } else if constexpr (kIsShort<C>) {
    return C(dtype == DType::kHalf ? -65504.0 : -0x1.FEp127);
  } else {
    return std::numeric_limits<C>::lowest();
  }
}

// ---- Windows ----

struct Dilation {
  WindowDim rows, columns;
  int64_t batch, depth;

  Dims output() const { return {batch, rows.count, columns.count, depth}; }
};

//   Errors: INVALID_ARGUMENT for another length, UNIMPLEMENTED for moves across batch and channels
Result<Dims> MovesOf(const Node& node, const char* name) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, name));
  if (list.ints.size() != 4) return InvalidArgument(std::string(name) + " must have 4 elements");
  if (list.ints[0] == 1 && list.ints[3] == 1) return list.ints;
  return Unimplemented(std::string(name) + " are only supported across spatial dimensions.");
}

//   Errors: UNIMPLEMENTED (dtype, moves), INVALID_ARGUMENT (shapes, windows)
Result<Dilation> DilationOf(const KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& filter = context.inputs[1];
  const Node& node = context.node;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(node.op, input.dtype(), kReals));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims strides, MovesOf(node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(const Dims rates, MovesOf(node, "rates"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string padding, StringAttr(node, "padding"));
  if (input.rank() != 4) return InvalidArgument("input must be 4-dimensional");
  if (filter.rank() != 3) return InvalidArgument("filter must be 3-dimensional");
  if (input.dim(3) != filter.dim(2)) {
    return InvalidArgument("input and filter must have the same depth");
  }
  Dilation dilation = {{}, {}, input.dim(0), input.dim(3)};
  for (const int i : {0, 1}) {
    const WindowDim dim = {.image = input.dim(i + 1),
                           .window = filter.dim(i),
                           .stride = strides[static_cast<size_t>(i) + 1],
                           .dilation = rates[static_cast<size_t>(i) + 1]};
    WindowDim& placed = i == 0 ? dilation.rows : dilation.columns;
    TAGFLOW_ASSIGN_OR_RETURN(placed, PlaceWindows(dim, padding == "SAME" ? WindowPadding::kSame
                                                                         : WindowPadding::kValid));
  }
  return dilation;
}

// What an element of the output comes from: elements of the image and of the window, of the same
// channel. Where no sum is above the lowest number it is the first of the window, and of the image
// what lies under the first, if there is such an element.
template <typename C>
struct Source {
  C value;
  int64_t row, column;  // in the image
  int64_t window_row = 0, window_column = 0;
};

template <typename C>
Source<C> SourceOf(const Dilation& d, DType dtype, const std::vector<C>& input,
                   const std::vector<C>& filter, const Dims& at) {
  const int64_t top = at[1] * d.rows.stride - d.rows.padding_before;
  const int64_t left = at[2] * d.columns.stride - d.columns.padding_before;
  Source<C> best = {LowestOf<C>(dtype), std::max<int64_t>(top, 0), std::max<int64_t>(left, 0)};
  for (int64_t i = 0; i < d.rows.window; ++i) {
    for (int64_t j = 0; j < d.columns.window; ++j) {
      const int64_t row = top + i * d.rows.dilation, column = left + j * d.columns.dilation;
      if (row < 0 || row >= d.rows.image || column < 0 || column >= d.columns.image) continue;
      const int64_t place = ((at[0] * d.rows.image + row) * d.columns.image + column) * d.depth;
      const int64_t in_window = (i * d.columns.window + j) * d.depth;
      const C sum = SumIn(dtype, input[static_cast<size_t>(place + at[3])],
                          filter[static_cast<size_t>(in_window + at[3])]);
      if (sum > best.value) best = {sum, row, column, i, j};
    }
  }
  return best;
}

// Calls visit(at, source) for each element of the output.
template <typename C, typename Visit>
void ForEachSource(const Dilation& dilation, const KernelContext& context, Visit visit) {
  const DType dtype = context.inputs[0].dtype();
  const std::vector<C> input = Load<C>(context.inputs[0]), filter = Load<C>(context.inputs[1]);
  ForEachPlace(dilation.output(),
               [&](const Dims& at) { visit(at, SourceOf(dilation, dtype, input, filter, at)); });
}

// ---- Ops ----

//   input: real numbers [batch, rows, columns, channels];  filter: [rows, columns, channels]
//   output: [batch, windows along rows, … along columns, channels], the lowest number where a
//   window lies over nothing
//   Errors: UNIMPLEMENTED (dtype, moves), INVALID_ARGUMENT (shapes, windows), RESOURCE_EXHAUSTED
Status Dilation2D(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dilation dilation, DilationOf(context));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dilation.output()));
  const DType dtype = context.inputs[0].dtype();
  return WithComputingType(dtype, [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      std::vector<C> values;
      ForEachSource<C>(dilation, context, [&](const Dims&, const Source<C>& source) {
        values.push_back(source.value);
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(dtype, dilation.output(), values));
    }
    return Status();
  });
}

//   input, filter: as of Dilation2D;  out_backprop: as its output
//   output: like input, or like filter: the sums of what came from each element
//   Errors: of Dilation2D
template <bool by_input>
Status Backprop(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Dilation dilation, DilationOf(context));
  const Tensor& gradients = context.inputs[2];
  if (ToDims(gradients.dims()) != dilation.output()) {
    return InvalidArgument("out_backprop has incompatible size.");
  }
  const Tensor& like = context.inputs[by_input ? 0 : 1];
  return WithComputingType(like.dtype(), [&]<typename C>(Computing<C>) -> Status {
    if constexpr (RealElement<C>) {
      std::vector<C> sums(static_cast<size_t>(like.num_elements()), C(0));
      const std::vector<C> given = Load<C>(gradients);
      size_t i = 0;
      const int64_t rows = by_input ? dilation.rows.image : dilation.rows.window;
      const int64_t columns = by_input ? dilation.columns.image : dilation.columns.window;
      ForEachSource<C>(dilation, context, [&](const Dims& at, const Source<C>& source) {
        const C gradient = given[i++];
        const int64_t row = by_input ? source.row : source.window_row;
        const int64_t column = by_input ? source.column : source.window_column;
        if (row >= rows || column >= columns) return;
        const int64_t which = by_input ? at[0] : 0;
        C& sum = sums[static_cast<size_t>(
            ((which * rows + row) * columns + column) * dilation.depth + at[3])];
        sum = Plus(sum, gradient);
      });
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Store(like.dtype(), like.dims(), sums));
    }
    return Status();
  });
}

}  // namespace

Status RegisterDilationKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"Dilation2D", Dilation2D},
                                {"Dilation2DBackpropInput", Backprop<true>},
                                {"Dilation2DBackpropFilter", Backprop<false>}});
}

}  // namespace tagflow::reference
