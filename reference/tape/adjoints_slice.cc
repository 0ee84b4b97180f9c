// Derivatives of the ops that choose elements by index.

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Element o of the output is element places[o] of input 0.
void AddPlaces(FiringPartials& firing, const std::vector<size_t>& places) {
  for (size_t o = 0; o < places.size(); ++o) firing.Add(0, o, 0, places[o], 1);
}

//   input, begin, size
Status Slice(FiringPartials& firing) {
  const Dims steps = StepsOf(firing.input(0).dims());
  const std::vector<int64_t> begin = ToIntegers(firing.input(1));
  int64_t start = 0;
  for (size_t d = 0; d < steps.size(); ++d) start += begin[d] * steps[d];
  AddPlaces(firing, Walk(firing.output(0).dims(), steps, start));
  return Status();
}

struct Masks {
  int64_t begin, end, ellipsis, new_axis, shrink;
  static bool Has(int64_t mask, size_t item) { return ((mask >> item) & 1) != 0; }
};

Result<Masks> MasksOf(const Node& node) {
  Masks masks;
  TAGFLOW_ASSIGN_OR_RETURN(masks.begin, IntAttr(node, "begin_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.end, IntAttr(node, "end_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.ellipsis, IntAttr(node, "ellipsis_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.new_axis, IntAttr(node, "new_axis_mask"));
  TAGFLOW_ASSIGN_OR_RETURN(masks.shrink, IntAttr(node, "shrink_axis_mask"));
  return masks;
}

// Where x[a:b:c, ..., i, newaxis] goes: dims of the walk, its steps and start, built up item by
// item.
struct SliceWalk {
  DimsView input;
  Dims input_steps = StepsOf(input);
  size_t next = 0;  // dimension of the input
  Dims dims, steps;
  int64_t start = 0;

  void Whole() {
    dims.push_back(input[next]);
    steps.push_back(input_steps[next]);
    ++next;
  }
  void NewAxis() {
    dims.push_back(1);
    steps.push_back(0);
  }
  void At(int64_t index) {
    start += (index < 0 ? index + input[next] : index) * input_steps[next];
    ++next;
  }
  void Range(int64_t begin, int64_t end, int64_t stride, bool from_edge, bool to_edge) {
    const int64_t size = input[next];
    const int64_t least = stride > 0 ? 0 : -1;
    const int64_t most = stride > 0 ? size : size - 1;
    auto inside = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, least, most); };
    const int64_t first = from_edge ? (stride > 0 ? 0 : size - 1) : inside(begin);
    const int64_t limit = to_edge ? (stride > 0 ? size : -1) : inside(end);
    const int64_t way = stride > 0 ? limit - first : first - limit;
    // Any further stride names the first element alone.
    const int64_t furthest = std::max<int64_t>(size, 1);
    const int64_t step = std::clamp(stride, -furthest, furthest);
    const int64_t step_size = std::abs(step);
    dims.push_back(way <= 0 ? 0 : (way + step_size - 1) / step_size);
    steps.push_back(step * input_steps[next]);
    start += first * input_steps[next];
    ++next;
  }
};

// The elements of a tensor of `dims` that inputs [first, first + 3), begin, end and strides, name.
Result<SliceWalk> SliceOf(const FiringPartials& firing, size_t first, DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(const Masks masks, MasksOf(firing.node()));
  const std::vector<int64_t> begin = ToIntegers(firing.input(first));
  const std::vector<int64_t> end = ToIntegers(firing.input(first + 1));
  const std::vector<int64_t> strides = ToIntegers(firing.input(first + 2));
  SliceWalk walk{.input = dims, .dims = {}, .steps = {}};
  const size_t items = begin.size();
  for (size_t item = 0; item < items; ++item) {
    if (Masks::Has(masks.ellipsis, item)) {
      size_t after = 0;
      for (size_t later = item + 1; later < items; ++later) {
        after += Masks::Has(masks.new_axis, later) ? 0 : 1;
      }
      while (walk.next + after < walk.input.size()) walk.Whole();
    } else if (Masks::Has(masks.new_axis, item)) {
      walk.NewAxis();
    } else if (Masks::Has(masks.shrink, item)) {
      walk.At(begin[item]);
    } else {
      walk.Range(begin[item], end[item], strides[item], Masks::Has(masks.begin, item),
                 Masks::Has(masks.end, item));
    }
  }
  while (walk.next < walk.input.size()) walk.Whole();
  return walk;
}

//   input, begin, end, strides
Status StridedSlice(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceWalk walk, SliceOf(firing, 1, firing.input(0).dims()));
  AddPlaces(firing, Walk(walk.dims, walk.steps, walk.start));
  return Status();
}

//   shape, begin, end, strides, dy
Status StridedSliceGrad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceWalk walk, SliceOf(firing, 1, firing.output(0).dims()));
  const std::vector<size_t> places = Walk(walk.dims, walk.steps, walk.start);
  for (size_t i = 0; i < places.size(); ++i) firing.Add(0, places[i], 4, i, 1);
  return Status();
}

//   input, begin, end, strides, value: broadcast to the slice, further dimensions of 1 in front
Status TensorStridedSliceUpdate(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const SliceWalk walk, SliceOf(firing, 1, firing.input(0).dims()));
  const std::vector<size_t> places = Walk(walk.dims, walk.steps, walk.start);
  std::vector<bool> replaced(static_cast<size_t>(firing.output(0).num_elements()), false);
  for (const size_t place : places) replaced[place] = true;
  for (size_t i = 0; i < replaced.size(); ++i) {
    if (!replaced[i]) firing.Add(0, i, 0, i, 1);
  }
  if (places.empty()) return Status();
  DimsView value = firing.input(4).dims();
  while (value.size() > walk.dims.size()) value = value.subspan(1);
  const std::vector<size_t> from = BroadcastWalk(value, walk.dims);
  for (size_t k = 0; k < places.size(); ++k) firing.Add(0, places[k], 4, from[k], 1);
  return Status();
}

// params[batch, before, axis, after] at indices[batch, chosen] is output[batch, before, chosen,
// after].
Status GatherAlong(FiringPartials& firing, size_t axis, size_t batch_dims) {
  const DimsView params = firing.input(0).dims();
  const std::vector<int64_t> indices = ToIntegers(firing.input(1));
  const DimsView index_dims = firing.input(1).dims();
  const int64_t batches = Product(params, 0, batch_dims);
  const int64_t before = Product(params, batch_dims, axis);
  const int64_t after = Product(params, axis + 1, params.size());
  const int64_t chosen = Product(index_dims, batch_dims, index_dims.size());
  std::vector<size_t> places;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t row = batch * before; row < (batch + 1) * before; ++row) {
      for (int64_t c = 0; c < chosen; ++c) {
        const int64_t index = indices[static_cast<size_t>(batch * chosen + c)];
        const int64_t first = (row * params[axis] + index) * after;
        for (int64_t k = 0; k < after; ++k) places.push_back(static_cast<size_t>(first + k));
      }
    }
  }
  AddPlaces(firing, places);
  return Status();
}

Status Gather(FiringPartials& firing) { return GatherAlong(firing, 0, 0); }

//   params, indices, axis
Status GatherV2(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t batch_dims, IntAttr(firing.node(), "batch_dims"));
  return GatherAlong(firing, AxisOf(ToIntegers(firing.input(2))[0], firing.input(0).dims().size()),
                     AxisOf(batch_dims, firing.input(1).dims().size()));
}

// Rows from out of range, where that is no error, are zeros.
//   params, indices: vectors of leading coordinates along the last dimension
Status GatherNd(FiringPartials& firing) {
  const DimsView params = firing.input(0).dims();
  const std::vector<int64_t> indices = ToIntegers(firing.input(1));
  const auto depth = static_cast<size_t>(firing.input(1).dims().back());
  const Dims steps = StepsOf(params);
  const int64_t row = Product(params, depth, params.size());
  const int64_t rows = row == 0 ? 0 : firing.output(0).num_elements() / row;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t first = 0;
    bool is_inside = true;
    for (size_t d = 0; d < depth; ++d) {
      const int64_t at = indices[static_cast<size_t>(r) * depth + d];
      is_inside = is_inside && at >= 0 && at < params[d];
      first += at * steps[d];
    }
    for (int64_t k = 0; is_inside && k < row; ++k) {
      firing.Add(0, static_cast<size_t>(r * row + k), 0, static_cast<size_t>(first + k), 1);
    }
  }
  return Status();
}

//   N indices, then N data; of several rows for one index the last counts
Status DynamicStitch(FiringPartials& firing) {
  const size_t n = firing.num_inputs() / 2;
  const DimsView dims = firing.output(0).dims();
  const auto row = static_cast<size_t>(Product(dims, 1, dims.size()));
  struct Source {
    size_t slot, row;
  };
  std::vector<Source> sources(static_cast<size_t>(dims[0]), {0, 0});  // slot 0: none
  for (size_t k = 0; k < n; ++k) {
    const std::vector<int64_t> indices = ToIntegers(firing.input(k));
    for (size_t r = 0; r < indices.size(); ++r)
      sources[static_cast<size_t>(indices[r])] = {n + k, r};
  }
  for (size_t o = 0; o < sources.size(); ++o) {
    if (sources[o].slot == 0) continue;
    for (size_t k = 0; k < row; ++k) {
      firing.Add(0, o * row + k, sources[o].slot, sources[o].row * row + k, 1);
    }
  }
  return Status();
}

}  // namespace

void AddSliceAdjoints(AdjointTable& table) {
  table.Set("Slice", Slice);
  table.Set("StridedSlice", StridedSlice);
  table.Set("StridedSliceGrad", StridedSliceGrad);
  table.Set("TensorStridedSliceUpdate", TensorStridedSliceUpdate);
  table.Set("Gather", Gather);
  table.Set("GatherV2", GatherV2);
  table.Set("GatherNd", GatherNd);
  table.Set("DynamicStitch", DynamicStitch);
  table.Set("ParallelDynamicStitch", DynamicStitch);
}

}  // namespace tagflow::reference
