#include "fuzz/program/shape_rules.h"

#include <algorithm>
#include <string>

namespace tagflow::fuzz {
namespace {

// Names are not for people.
std::string Shown(Dims dims) {
  std::string text = TypeText({Kind::kTensor, DType::kInvalid, std::move(dims)});
  const size_t bracket = text.find('[');
  return bracket == std::string::npos ? "[]" : text.substr(bracket);
}

std::string Numbers(const Dims& numbers) { return DimsString(numbers); }

bool AllKnown(const Dims& dims) {
  return std::ranges::all_of(dims, [](int64_t dim) { return dim >= 0; });
}

// Nothing when a dim is so large that the product need not be known.
std::optional<int64_t> Elements(const Dims& dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (dim > kMaxElements) return std::nullopt;
    product *= dim;
    if (product > kMaxElements) return std::nullopt;
  }
  return product;
}

}  // namespace

Result<Dims> BroadcastDims(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= dims.size(); ++i) {  // from the last
    const int64_t left = i <= a.size() ? a[a.size() - i] : 1;
    const int64_t right = i <= b.size() ? b[b.size() - i] : 1;
    if (left != right && left != 1 && right != 1) {
      return InvalidArgument("the shapes " + Shown(a) + " and " + Shown(b) + " do not broadcast" +
                             (AllKnown(a) && AllKnown(b) ? "" : ", as far as is known"));
    }
    dims[dims.size() - i] = left == 1 ? right : left;
  }
  return dims;
}

Result<Dims> KnownDims(const Dims& numbers) {
  if (AllKnown(numbers)) return numbers;
  return InvalidArgument("a dimension in " + Numbers(numbers) + " is negative");
}

Result<Dims> ReducedDims(const Dims& dims, const Dims& axes) {
  std::vector<bool> reduced(dims.size(), axes.empty());
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= static_cast<int64_t>(dims.size()) ||
        reduced[static_cast<size_t>(axis)]) {
      return InvalidArgument("the axes " + Numbers(axes) + " are not distinct ones of " +
                             Shown(dims));
    }
    reduced[static_cast<size_t>(axis)] = true;
  }
  Dims left;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!reduced[i]) left.push_back(dims[i]);
  }
  return left;
}

Result<Dims> ConcatDims(const Dims& a, const Dims& b, int64_t axis, DimNames& names) {
  const bool axis_is_there = axis >= 0 && axis < static_cast<int64_t>(a.size());
  bool suits = axis_is_there && a.size() == b.size();
  Dims dims = a;
  for (size_t i = 0; suits && i < dims.size(); ++i) {
    if (static_cast<int64_t>(i) != axis) {
      suits = a[i] == b[i];
    } else if (a[i] < 0 || b[i] < 0) {
      dims[i] = names.New();
    } else {
      dims[i] += b[i];
    }
  }
  if (suits) return dims;
  return InvalidArgument("cannot put " + Shown(b) + " behind " + Shown(a) + " along axis " +
                         std::to_string(axis));
}

Result<Dims> ReshapedDims(const Dims& dims, const Dims& numbers, DimNames&) {
  const bool known = AllKnown(dims) && AllKnown(numbers);
  if (known && Elements(dims) && Elements(dims) == Elements(numbers)) return numbers;
  return InvalidArgument("cannot reshape " + Shown(dims) + " to " + Numbers(numbers));
}

Result<Dims> ExpandedDims(const Dims& dims, const Dims& numbers, DimNames&) {
  if (numbers[0] < 0 || numbers[0] > static_cast<int64_t>(dims.size())) {
    return InvalidArgument("there is no place " + std::to_string(numbers[0]) + " in " +
                           Shown(dims));
  }
  Dims expanded = dims;
  expanded.insert(expanded.begin() + numbers[0], 1);
  return expanded;
}

Result<Dims> SlicedDims(const Dims& dims, const Dims& numbers, DimNames&) {
  bool inside = numbers.size() == 2 * dims.size();
  Dims sliced;
  for (size_t i = 0; inside && i < dims.size(); ++i) {
    const int64_t begin = numbers[i];
    const int64_t size = numbers[dims.size() + i];
    inside = dims[i] >= 0 && begin >= 0 && begin <= dims[i] && size >= 0 && size <= dims[i] - begin;
    sliced.push_back(size);
  }
  if (inside) return sliced;
  return InvalidArgument("the begins and sizes " + Numbers(numbers) + " are not inside " +
                         Shown(dims));
}

Result<Dims> TiledDims(const Dims& dims, const Dims& numbers, DimNames& names) {
  bool suits = numbers.size() == dims.size();
  Dims tiled = dims;
  for (size_t i = 0; suits && i < dims.size(); ++i) {
    suits = numbers[i] >= 0 && numbers[i] <= kMaxElements && dims[i] <= kMaxElements;
    if (!suits || numbers[i] == 1) continue;
    tiled[i] = numbers[i] == 0 ? 0 : dims[i] < 0 ? names.New() : dims[i] * numbers[i];
  }
  if (suits) return tiled;
  return InvalidArgument("the multiples " + Numbers(numbers) + " do not suit " + Shown(dims));
}

Result<Dims> TransposedDims(const Dims& dims, const Dims& numbers, DimNames&) {
  std::vector<bool> seen(dims.size(), false);
  Dims transposed;
  for (int64_t axis : numbers) {
    if (axis < 0 || axis >= static_cast<int64_t>(dims.size()) || seen[static_cast<size_t>(axis)]) {
      break;
    }
    seen[static_cast<size_t>(axis)] = true;
    transposed.push_back(dims[static_cast<size_t>(axis)]);
  }
  if (transposed.size() == dims.size() && numbers.size() == dims.size()) return transposed;
  return InvalidArgument(Numbers(numbers) + " is no permutation of the axes of " + Shown(dims));
}

}  // namespace tagflow::fuzz
