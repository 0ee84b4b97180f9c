// Derivatives of images resized, cropped, dilated and cut into patches: what an element of the
// output is made of, and how that changes where a box moves; and of colors.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "graph/ops/window_geometry.h"
#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// An element of the image, along one dimension, with its weight.
struct Tap {
  int64_t place;
  double weight;
};
using Taps = std::vector<Tap>;

int64_t Clamped(double place, int64_t size) {
  return std::clamp<int64_t>(static_cast<int64_t>(place), 0, size - 1);
}

// ---- Sizes ----

struct Resized {
  int64_t image, output;
  bool aligned, half;

  // In float, as the op is: the elements around a position change in jumps.
  float scale() const {
    const int64_t less = aligned && output > 1 ? 1 : 0;
    return static_cast<float>(image - less) / static_cast<float>(output - less);
  }
  float position(int64_t i) const {
    return half ? (static_cast<float>(i) + 0.5F) * scale() - 0.5F : static_cast<float>(i) * scale();
  }
};
using TapsOf = Taps (*)(const Resized& dim, int64_t i);

Taps Nearest(const Resized& dim, int64_t i) {
  const float position = (static_cast<float>(i) + (dim.half ? 0.5F : 0.0F)) * dim.scale();
  return {{Clamped(dim.aligned ? std::round(position) : std::floor(position), dim.image), 1}};
}

Taps OnLine(double position, int64_t size) {
  const double below = std::floor(position), share = position - below;
  return {{Clamped(below, size), 1 - share}, {Clamped(std::ceil(position), size), share}};
}
Taps Linear(const Resized& dim, int64_t i) { return OnLine(dim.position(i), dim.image); }

// Keys's curve through four elements, at 1024 places between two; without those beyond the edge
// where half a pixel lies there.
Taps Cubic(const Resized& dim, int64_t i) {
  const double a = dim.half ? -0.5 : -0.75;
  const double below = std::floor(dim.position(i));
  const double share = std::nearbyint((dim.position(i) - below) * 1024) / 1024;
  Taps taps;
  double sum = 0;
  for (int step = -1; step <= 2; ++step) {
    const double x = std::abs(step - share), place = below + step;
    const double weight = x <= 1 ? (a + 2) * x * x * x - (a + 3) * x * x + 1
                                 : a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a;
    const bool is_there = place >= 0 && place < static_cast<double>(dim.image);
    taps.push_back({Clamped(place, dim.image), is_there || !dim.half ? weight : 0});
    sum += taps.back().weight;
  }
  for (Tap& tap : taps) tap.weight /= dim.half ? sum : 1;
  return taps;
}

// Calls visit(element, place, weight) with each element of what is resized, and each of the image
// that it is made of.
template <typename Visit>
Status ForEachTap(FiringPartials& firing, TapsOf taps_of, DimsView image, DimsView output,
                  Visit visit) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool aligned, BoolAttr(firing.node(), "align_corners"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool half, BoolAttr(firing.node(), "half_pixel_centers"));
  const Resized rows = {image[1], output[1], aligned, half};
  const Resized columns = {image[2], output[2], aligned, half};
  const Dims steps = StepsOf(image);
  size_t element = 0;
  ForEachCoordinate(output, [&](const Dims& at) {
    for (const Tap& row : taps_of(rows, at[1])) {
      for (const Tap& column : taps_of(columns, at[2])) {
        visit(element, PlaceOf({at[0], row.place, column.place, at[3]}, steps),
              row.weight * column.weight);
      }
    }
    ++element;
  });
  return Status();
}

AdjointFunction OfResized(TapsOf taps_of) {
  return [taps_of](FiringPartials& firing) {
    return ForEachTap(firing, taps_of, firing.input(0).dims(), firing.output(0).dims(),
                      [&](size_t element, size_t place, double weight) {
                        firing.Add(0, element, 0, place, weight);
                      });
  };
}
// Of its gradient, which is linear in its first input.
AdjointFunction OfResizedGrad(TapsOf taps_of) {
  return [taps_of](FiringPartials& firing) {
    return ForEachTap(firing, taps_of, firing.output(0).dims(), firing.input(0).dims(),
                      [&](size_t element, size_t place, double weight) {
                        firing.Add(0, place, 0, element, weight);
                      });
  };
}

// ---- Crops ----

// An element of a crop along one dimension, between the edges `begin` and `end` of the box.
struct Sampled {
  double position = 0;
  double by_begin = 0, by_end = 0;  // how far it moves with the edges
  bool is_inside = false;
};
// Positions are computed in float: on which side of an element a position lies, and so which slope
// it has, rounding decides.
Sampled SampledAt(double begin, double end, int64_t image, int64_t crop, int64_t i) {
  const auto last = static_cast<double>(image - 1);
  const double share = crop == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(crop - 1);
  const auto from = static_cast<float>(begin), to = static_cast<float>(end);
  const auto size = static_cast<float>(image - 1);
  const float step = (to - from) * size / static_cast<float>(crop - 1);
  const auto position = crop == 1 ? static_cast<float>(0.5 * (from + to) * last)
                                  : from * size + static_cast<float>(i) * step;
  return {position, last * (1 - share), last * share, position >= 0 && position <= size};
}

// How fast what is on a line through the elements grows.
Taps SlopeAt(double position, int64_t size) {
  return {{Clamped(std::floor(position), size), -1}, {Clamped(std::ceil(position), size), 1}};
}

// What an element of a crop is made of.
struct CropVisitor {
  // place: of the images
  std::function<void(size_t element, size_t place, double weight)> by_image;
  // edge: of the boxes;  slope: how fast the weight grows with it
  std::function<void(size_t element, size_t place, size_t edge, double slope)> by_edge;
};

//   input 1, 2: boxes, box_ind
Status VisitCrops(const FiringPartials& firing, DimsView image, DimsView output,
                  const CropVisitor& visitor) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string method, StringAttr(firing.node(), "method"));
  const std::vector<double> boxes = ToDoubles(firing.input(1));
  const std::vector<int64_t> images = ToIntegers(firing.input(2));
  const Dims steps = StepsOf(image);
  size_t o = 0;
  ForEachCoordinate(output, [&](const Dims& at) {
    const size_t box = static_cast<size_t>(at[0]), element = o++;
    const double* edges = boxes.data() + 4 * box;
    const Sampled row = SampledAt(edges[0], edges[2], image[1], output[1], at[1]);
    const Sampled column = SampledAt(edges[1], edges[3], image[2], output[2], at[2]);
    if (!row.is_inside || !column.is_inside) return;
    const auto place = [&](const Tap& i, const Tap& j) {
      return PlaceOf({images[box], i.place, j.place, at[3]}, steps);
    };
    const Taps rows = OnLine(row.position, image[1]), columns = OnLine(column.position, image[2]);
    if (method == "nearest") {
      const Tap i = {Clamped(std::round(row.position), image[1]), 1};
      const Tap j = {Clamped(std::round(column.position), image[2]), 1};
      visitor.by_image(element, place(i, j), 1);
    } else {
      for (const Tap& i : rows) {
        for (const Tap& j : columns) visitor.by_image(element, place(i, j), i.weight * j.weight);
      }
    }
    for (const Tap& i : SlopeAt(row.position, image[1])) {
      for (const Tap& j : columns) {
        const double slope = i.weight * j.weight;
        visitor.by_edge(element, place(i, j), 4 * box, slope * row.by_begin);
        visitor.by_edge(element, place(i, j), 4 * box + 2, slope * row.by_end);
      }
    }
    for (const Tap& i : rows) {
      for (const Tap& j : SlopeAt(column.position, image[2])) {
        const double slope = i.weight * j.weight;
        visitor.by_edge(element, place(i, j), 4 * box + 1, slope * column.by_begin);
        visitor.by_edge(element, place(i, j), 4 * box + 3, slope * column.by_end);
      }
    }
  });
  return Status();
}

// By boxes, crops are taken for bilinear ones, whatever they are, as in TensorFlow.
Status CropAndResize(FiringPartials& firing) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  return VisitCrops(firing, firing.input(0).dims(), firing.output(0).dims(),
                    {[&](size_t element, size_t place, double weight) {
                       firing.Add(0, element, 0, place, weight);
                     },
                     [&](size_t element, size_t place, size_t edge, double slope) {
                       firing.Add(0, element, 1, edge, slope * x[place]);
                     }});
}

Status CropAndResizeGradImage(FiringPartials& firing) {
  const std::vector<double> g = ToDoubles(firing.input(0));
  return VisitCrops(firing, firing.output(0).dims(), firing.input(0).dims(),
                    {[&](size_t element, size_t place, double weight) {
                       firing.Add(0, place, 0, element, weight);
                     },
                     [&](size_t element, size_t place, size_t edge, double slope) {
                       firing.Add(0, place, 1, edge, slope * g[element]);
                     }});
}

// ---- Windows ----

// How windows of that size lie along dimension i of an image, of rows and columns.
Result<WindowDim> WindowsAlong(const Node& node, DimsView image, int64_t window, size_t i) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList strides, ListAttr(node, "strides"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList rates, ListAttr(node, "rates"));
  const Result<std::string> padding = StringAttr(node, "padding");
  if (!padding.ok()) return padding.status();
  return PlaceWindows({.image = image[i + 1],
                       .window = window,
                       .stride = strides.ints[i + 1],
                       .dilation = rates.ints[i + 1]},
                      *padding == "SAME" ? WindowPadding::kSame : WindowPadding::kValid);
}

// ---- Patches ----

Status ExtractImagePatches(FiringPartials& firing) {
  const DimsView image = firing.input(0).dims(), output = firing.output(0).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList sizes, ListAttr(firing.node(), "ksizes"));
  WindowDim dims[2];
  for (const size_t i : {0, 1}) {
    TAGFLOW_ASSIGN_OR_RETURN(dims[i], WindowsAlong(firing.node(), image, sizes.ints[i + 1], i));
  }
  const auto& [rows, columns] = dims;
  const Dims steps = StepsOf(image);
  size_t o = 0;
  ForEachCoordinate(Dims{output[0], output[1], output[2], rows.window, columns.window, image[3]},
                    [&](const Dims& at) {
                      const size_t element = o++;
                      const int64_t row =
                          at[1] * rows.stride + at[3] * rows.dilation - rows.padding_before;
                      const int64_t column = at[2] * columns.stride + at[4] * columns.dilation -
                                             columns.padding_before;
                      const bool is_inside =
                          row >= 0 && row < rows.image && column >= 0 && column < columns.image;
                      if (!is_inside) return;
                      firing.Add(0, element, 0, PlaceOf({at[0], row, column, at[5]}, steps), 1);
                    });
  return Status();
}

// ---- Dilation ----

// y = x + f of the first pair of which no sum is greater.
Status Dilation2D(FiringPartials& firing) {
  const DimsView image = firing.input(0).dims(), filter = firing.input(1).dims();
  TAGFLOW_ASSIGN_OR_RETURN(const WindowDim rows, WindowsAlong(firing.node(), image, filter[0], 0));
  TAGFLOW_ASSIGN_OR_RETURN(const WindowDim columns,
                           WindowsAlong(firing.node(), image, filter[1], 1));
  const std::vector<double> x = ToDoubles(firing.input(0)), f = ToDoubles(firing.input(1));
  const Dims steps = StepsOf(image), filter_steps = StepsOf(filter);
  size_t o = 0;
  ForEachCoordinate(firing.output(0).dims(), [&](const Dims& at) {
    double greatest = -INFINITY;
    size_t from_x = 0, from_f = 0;
    ForEachCoordinate(Dims{rows.window, columns.window}, [&](const Dims& in) {
      const int64_t row = at[1] * rows.stride + in[0] * rows.dilation - rows.padding_before;
      const int64_t column =
          at[2] * columns.stride + in[1] * columns.dilation - columns.padding_before;
      if (row < 0 || row >= rows.image || column < 0 || column >= columns.image) return;
      const size_t place = PlaceOf({at[0], row, column, at[3]}, steps);
      const size_t in_filter = PlaceOf({in[0], in[1], at[3]}, filter_steps);
      if (!(x[place] + f[in_filter] > greatest)) return;
      greatest = x[place] + f[in_filter];
      from_x = place;
      from_f = in_filter;
    });
    if (greatest > -INFINITY) {
      firing.Add(0, o, 0, from_x, 1);
      firing.Add(0, o, 1, from_f, 1);
    }
    ++o;
  });
  return Status();
}

// ---- Colors ----

// Where v is the greatest part, m the least, and d the difference of the two behind v in a circle:
// the hue is d / 6 (v - m) and a constant, the saturation (v - m) / v, the value v.
Status RgbToHsv(FiringPartials& firing) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  for (size_t at = 0; at < x.size(); at += 3) {
    size_t greatest = 0, least = 0;
    for (const size_t i : {1, 2}) {
      if (x[at + i] > x[at + greatest]) greatest = i;
      if (x[at + i] <= x[at + least]) least = i;
    }
    const double v = x[at + greatest], m = x[at + least], range = v - m;
    const size_t next = (greatest + 1) % 3, last = (greatest + 2) % 3;
    const double difference = x[at + next] - x[at + last];
    const auto add = [&](size_t part, size_t by, double slope) {
      firing.Add(0, at + part, 0, at + by, slope);
    };
    if (range > 0) {
      add(0, next, 1 / (6 * range));
      add(0, last, -1 / (6 * range));
      add(0, greatest, -difference / (6 * range * range));
      add(0, least, difference / (6 * range * range));
    }
    if (v > 0) {
      add(1, greatest, m / (v * v));
      add(1, least, -1 / v);
    }
    add(2, greatest, 1);
  }
  return Status();
}

}  // namespace

void AddImageAdjoints(AdjointTable& table) {
  table.Set("ResizeBilinear", OfResized(Linear));
  table.Set("ResizeBicubic", OfResized(Cubic));
  table.Set("ResizeNearestNeighbor", OfResized(Nearest));
  table.Set("ResizeBilinearGrad", OfResizedGrad(Linear));
  table.Set("ResizeBicubicGrad", OfResizedGrad(Cubic));
  table.Set("ResizeNearestNeighborGrad", OfResizedGrad(Nearest));
  table.Set("CropAndResize", CropAndResize);
  table.Set("CropAndResizeGradImage", CropAndResizeGradImage);
  table.Set("ExtractImagePatches", ExtractImagePatches);
  table.Set("Dilation2D", Dilation2D);
  table.Set("RGBToHSV", RgbToHsv);
  // As in TensorFlow, which says that they have none.
  for (const char* op : {"DrawBoundingBoxes", "HSVToRGB"}) table.Stop(op);
}

}  // namespace tagflow::reference
