// Derivatives of numbers rounded to the levels of a range. By definition rounding counts as none:
// what lies within the range moves with x, and what lies beyond it with the end of the range.

#include <cmath>
#include <vector>

#include "reference/tape/adjoint.h"

namespace tagflow::reference {
namespace {

// From the first to the last level, once the range has moved so that 0 is a level. In float, as
// the op is, since an element at an end of it belongs to one side or the other.
struct Range {
  float first, last;
  bool is_none;
};

Result<Range> RangeFrom(const Node& node, float min, float max) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t bits, IntAttr(node, "num_bits"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool is_narrow, BoolAttr(node, "narrow_range"));
  const auto steps = static_cast<float>((int64_t{1} << bits) - (is_narrow ? 2 : 1));
  const float start = is_narrow ? 1 : 0;
  const float step = (max - min) / steps;
  const float zero = start - min / step;
  float below_zero = 0;  // how many levels are
  if (zero > start) below_zero = zero > start + steps ? steps : std::round(zero) - start;
  return Range{-below_zero * step, (steps - below_zero) * step, min == 0 && max == 0};
}

// Input 0 is x; `ranges` are those of its channels, or one for all, whose ends are inputs 1 and 2
// where there are such.
void AddElements(FiringPartials& firing, const std::vector<Range>& ranges) {
  const std::vector<double> x = ToDoubles(firing.input(0));
  const bool moves_range = firing.num_inputs() > 1;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t channel = i % ranges.size();
    const Range& range = ranges[channel];
    if (range.is_none || (x[i] >= range.first && x[i] <= range.last)) firing.Add(0, i, 0, i, 1);
    if (range.is_none || !moves_range) continue;
    if (x[i] < range.first) firing.Add(0, i, 1, channel, 1);
    if (x[i] > range.last) firing.Add(0, i, 2, channel, 1);
  }
}

Status OfFixedRange(FiringPartials& firing) {
  TAGFLOW_ASSIGN_OR_RETURN(const float min, FloatAttr(firing.node(), "min"));
  TAGFLOW_ASSIGN_OR_RETURN(const float max, FloatAttr(firing.node(), "max"));
  TAGFLOW_ASSIGN_OR_RETURN(const Range range, RangeFrom(firing.node(), min, max));
  AddElements(firing, {range});
  return Status();
}

Status OfRanges(FiringPartials& firing) {
  const std::vector<double> min = ToDoubles(firing.input(1)), max = ToDoubles(firing.input(2));
  std::vector<Range> ranges;
  for (size_t i = 0; i < min.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const Range range, RangeFrom(firing.node(), static_cast<float>(min[i]),
                                                          static_cast<float>(max[i])));
    ranges.push_back(range);
  }
  AddElements(firing, ranges);
  return Status();
}

}  // namespace

void AddQuantizationAdjoints(AdjointTable& table) {
  table.Set("FakeQuantWithMinMaxArgs", OfFixedRange);
  table.Set("FakeQuantWithMinMaxVars", OfRanges);
  table.Set("FakeQuantWithMinMaxVarsPerChannel", OfRanges);
}

}  // namespace tagflow::reference
