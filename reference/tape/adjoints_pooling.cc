// Derivatives of pooling. A maximum moves with one element of its window, and its gradients, by
// images, not at all.
//
// At a tie, and where the maxima that a gradient is given are not those of its images, all is as
// TensorFlow's gradients have it, each op's being the next one:
//
//   MaxPool, MaxPoolGradGrad        the first maximum of the images
//   MaxPool3D, MaxPool3DGradGrad    each element that is the maximum that is given
//   MaxPoolGrad, MaxPool3DGrad      the first such element

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "graph/ops/pool_grid.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

using Places = std::vector<size_t>;  // elements of the images that a window sees, in order

Result<PoolGrid> GridOfNode(const FiringPartials& firing, DimsView image) {
  const Node& node = firing.node();
  const int spatial_rank = node.op.find("3D") == std::string::npos ? 2 : 3;
  TAGFLOW_ASSIGN_OR_RETURN(Pooling pooling, ReadPooling(node, spatial_rank));
  if (node.op.ends_with("V2")) {
    pooling.ksize = ToIntegers(firing.input(firing.num_inputs() - 2));
    pooling.attrs.strides = ToIntegers(firing.input(firing.num_inputs() - 1));
  }
  return GridOf(pooling, image);
}

// For each window in the order of the output, what it sees.
std::vector<Places> WindowsOf(const PoolGrid& grid) {
  std::vector<Places> windows;
  const auto& dims = grid.dims;
  const Dims counts = {grid.images, dims[0].count, dims[1].count, dims[2].count, grid.channels};
  const Dims steps =
      StepsOf(Dims{grid.images, dims[0].image, dims[1].image, dims[2].image, grid.channels});
  ForEachCoordinate(counts, [&](const Dims& at) {
    Dims begins, sizes;
    for (size_t i = 0; i < 3; ++i) {
      const int64_t begin = at[i + 1] * dims[i].stride - dims[i].padding_before;
      const int64_t end = std::min(begin + dims[i].window, dims[i].image);
      begins.push_back(std::max<int64_t>(begin, 0));
      sizes.push_back(std::max<int64_t>(end - begins.back(), 0));
    }
    const Dims first = {at[0], begins[0], begins[1], begins[2], at[4]};
    const size_t start = PlaceOf(first, steps);
    Places places;
    ForEachCoordinate(sizes, [&](const Dims& within) {
      places.push_back(start + PlaceOf(within, {steps[1], steps[2], steps[3]}));
    });
    windows.push_back(std::move(places));
  });
  return windows;
}
Result<std::vector<Places>> WindowsOver(const FiringPartials& firing, DimsView image) {
  TAGFLOW_ASSIGN_OR_RETURN(const PoolGrid grid, GridOfNode(firing, image));
  return WindowsOf(grid);
}

using Numbers = std::vector<double>;

// Those of the elements of a window that take part in its derivative. maximum: that is given
using Choice = Places (*)(const Numbers& x, const Places& window, double maximum);

Places FirstMaximum(const Numbers& x, const Places& window, double) {
  Places first;
  for (const size_t place : window) {
    if (first.empty() || x[place] > x[first[0]]) first = {place};
  }
  return first;
}
Places AllEqual(const Numbers& x, const Places& window, double maximum) {
  Places equal;
  for (const size_t place : window) {
    if (x[place] == maximum) equal.push_back(place);
  }
  return equal;
}
Places FirstEqual(const Numbers& x, const Places& window, double maximum) {
  Places equal = AllEqual(x, window, maximum);
  equal.resize(std::min<size_t>(equal.size(), 1));
  return equal;
}

AdjointFunction OfMaxima(Choice choose) {
  return [choose](FiringPartials& firing) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto windows, WindowsOver(firing, firing.input(0).dims()));
    const Numbers x = ToDoubles(firing.input(0)), y = ToDoubles(firing.output(0));
    for (size_t o = 0; o < windows.size(); ++o) {
      for (const size_t place : choose(x, windows[o], y[o])) firing.Add(0, o, 0, place, 1);
    }
    return Status();
  };
}

// Images, maxima, and gradients of either: linear in the gradients.
AdjointFunction OfGradients(Choice choose, bool is_of_images) {
  return [choose, is_of_images](FiringPartials& firing) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto windows, WindowsOver(firing, firing.input(0).dims()));
    const Numbers x = ToDoubles(firing.input(0)), y = ToDoubles(firing.input(1));
    for (size_t o = 0; o < windows.size(); ++o) {
      for (const size_t place : choose(x, windows[o], y[o])) {
        firing.Add(0, is_of_images ? place : o, 2, is_of_images ? o : place, 1);
      }
    }
    return Status();
  };
}

// Images, gradients, and the place of each window's maximum in its image or in the batch.
template <bool is_of_images>
Status ByArgmax(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool in_batch, BoolAttr(firing.node(), "include_batch_in_index"));
  const std::vector<int64_t> argmax = ToIntegers(firing.input(2));
  if (argmax.empty()) return Status();
  const auto images = static_cast<size_t>(firing.input(0).dim(0));
  const size_t image = static_cast<size_t>(firing.input(0).num_elements()) / images;
  for (size_t o = 0; o < argmax.size(); ++o) {
    const size_t begin = in_batch ? 0 : o / (argmax.size() / images) * image;
    const size_t place = begin + static_cast<size_t>(argmax[o]);
    firing.Add(0, is_of_images ? place : o, 1, is_of_images ? o : place, 1);
  }
  return Status();
}

Status AveragePool(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto windows, WindowsOver(firing, firing.input(0).dims()));
  for (size_t o = 0; o < windows.size(); ++o) {
    const double share = 1 / static_cast<double>(windows[o].size());
    for (const size_t place : windows[o]) firing.Add(0, o, 0, place, share);
  }
  return Status();
}

Status AveragePoolGrad(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto windows, WindowsOver(firing, firing.output(0).dims()));
  for (size_t o = 0; o < windows.size(); ++o) {
    const double share = 1 / static_cast<double>(windows[o].size());
    for (const size_t place : windows[o]) firing.Add(0, place, 1, o, share);
  }
  return Status();
}

}  // namespace

void AddPoolingAdjoints(AdjointTable& table) {
  for (const char* op : {"MaxPool", "MaxPoolV2", "MaxPoolWithArgmax"}) {
    table.Set(op, OfMaxima(FirstMaximum));
  }
  for (const char* op : {"MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad"}) {
    table.Set(op, OfGradients(FirstEqual, /*is_of_images=*/true));
  }
  for (const char* op : {"MaxPoolGradGrad", "MaxPoolGradGradV2"}) {
    table.Set(op, OfGradients(FirstMaximum, /*is_of_images=*/false));
  }
  table.Set("MaxPool3D", OfMaxima(AllEqual));
  table.Set("MaxPool3DGradGrad", OfGradients(AllEqual, /*is_of_images=*/false));
  table.Set("MaxPoolGradWithArgmax", ByArgmax<true>);
  table.Set("MaxPoolGradGradWithArgmax", ByArgmax<false>);
  for (const char* op : {"AvgPool", "AvgPool3D"}) table.Set(op, AveragePool);
  for (const char* op : {"AvgPoolGrad", "AvgPool3DGrad"}) table.Set(op, AveragePoolGrad);
}

}  // namespace tagflow::reference
