#include "reference/tape/walk.h"

namespace tagflow::reference {

int64_t Product(DimsView dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t d = begin; d < end; ++d) product *= dims[d];
  return product;
}

Dims StepsOf(DimsView dims) {
  Dims steps(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) steps[d - 1] = steps[d] * dims[d];
  return steps;
}

std::vector<size_t> Walk(DimsView dims, const Dims& steps, int64_t start) {
  std::vector<size_t> places;
  const int64_t count = Product(dims, 0, dims.size());
  places.reserve(static_cast<size_t>(count));
  Dims at(dims.size(), 0);
  int64_t place = start;
  for (int64_t n = 0; n < count; ++n) {
    places.push_back(static_cast<size_t>(place));
    for (size_t d = dims.size(); d-- > 0;) {
      place += steps[d];
      if (++at[d] < dims[d]) break;
      place -= at[d] * steps[d];
      at[d] = 0;
    }
  }
  return places;
}

void ForEachCoordinate(DimsView dims, const std::function<void(const Dims& at)>& visit) {
  Dims at(dims.size(), 0);
  for (int64_t n = Product(dims, 0, dims.size()); n > 0; --n) {
    visit(at);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < dims[d]) break;
      at[d] = 0;
    }
  }
}

size_t PlaceOf(const Dims& at, const Dims& steps) {
  int64_t place = 0;
  for (size_t d = 0; d < at.size(); ++d) place += at[d] * steps[d];
  return static_cast<size_t>(place);
}

std::vector<size_t> BroadcastWalk(DimsView from, DimsView to) {
  const Dims from_steps = StepsOf(from);
  const size_t missing = to.size() - from.size();
  Dims steps(to.size(), 0);
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d] != 1) steps[missing + d] = from_steps[d];
  }
  return Walk(to, steps);
}

}  // namespace tagflow::reference
