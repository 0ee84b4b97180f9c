#include "graph/saved/tensor_slice.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "graph/copy_elements.h"
#include "graph/saved/split_text.h"

namespace tagflow {
namespace {

// text: "0,2:-"
Result<TensorSlice> ParseSlice(std::string_view text) {
  TensorSlice slice;
  for (const std::string_view part : SplitText(text, ':')) {
    TensorSlice::Extent extent;
    if (part != "-") {
      const size_t comma = std::min(part.find(','), part.size());
      if (!ParseInteger(part.substr(0, comma), extent.start) || comma == part.size() ||
          !ParseInteger(part.substr(comma + 1), extent.length)) {
        return InvalidArgument("Expected a pair of numbers or '-' but got '" + std::string(part) +
                               "': string = " + std::string(text));
      }
      if (extent.start < 0 || extent.length <= 0) {
        return InvalidArgument("Expected non-negative start and positive length but got start = " +
                               std::to_string(extent.start) + ", length = " +
                               std::to_string(extent.length) + ": string = " + std::string(text));
      }
    }
    slice.extents.push_back(extent);
  }
  return slice;
}

// ---- Keys: numbers and texts, written so that bytes are in the order of what they stand for ----

constexpr int kBitsOfByte = 8;

// A number of elements, which is not negative: how many bytes it has, and these, the highest first.
void AppendCount(std::string& key, uint64_t value) {
  const int bytes = (std::bit_width(value) + kBitsOfByte - 1) / kBitsOfByte;
  key.push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) key.push_back(static_cast<char>(value >> (i * kBitsOfByte)));
}

// The ends of texts are told from their bytes: 00 and ff have another byte behind them.
void AppendText(std::string& key, std::string_view text) {
  for (const char c : text) {
    key.push_back(c);
    if (c == '\0') key.push_back('\xff');
    if (c == '\xff') key.push_back('\0');
  }
  key += {'\0', '\1'};
}

// The number in two's complement in as few bytes as hold it behind a mark of that many ones and a
// zero, which is laid over its sign.
void AppendNumber(std::string& key, int64_t value) {
  constexpr int kBytesMax = 10, kBitsEach = kBitsOfByte - 1;
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int bytes = std::bit_width(magnitude) / kBitsEach + 1;
  unsigned char all[kBytesMax];
  for (int i = 0; i < kBytesMax; ++i) {
    const int shift = std::min((kBytesMax - 1 - i) * kBitsOfByte, 63);
    all[i] = static_cast<unsigned char>(value >> shift);
  }
  unsigned char* const first = all + (kBytesMax - bytes);
  for (int bit = 0; bit < bytes; ++bit) {
    first[bit / kBitsOfByte] ^= static_cast<unsigned char>(0x80 >> (bit % kBitsOfByte));
  }
  key.append(reinterpret_cast<const char*>(first), static_cast<size_t>(bytes));
}

// ---- Blocks ----

// The place in a block of an element of the tensor.
size_t PlaceIn(const TensorSlice& block, const Dims& at) {
  int64_t place = 0;
  for (size_t d = 0; d < at.size(); ++d) {
    place = place * block.extents[d].length + at[d] - block.extents[d].start;
  }
  return static_cast<size_t>(place);
}

}  // namespace

std::string TensorSlice::ToString() const {
  std::string text;
  for (const Extent& extent : extents) {
    if (!text.empty()) text += ":";
    text += extent.length == kAll
                ? "-"
                : std::to_string(extent.start) + "," + std::to_string(extent.length);
  }
  return text;
}

Result<ShapeAndSlice> ParseShapeAndSlice(const std::string& text) {
  std::vector<std::string_view> parts = SplitText(text, ' ');
  if (parts.size() < 2) {
    return InvalidArgument("Need least two elements in shape_and_slice specification: " + text);
  }
  ShapeAndSlice parsed;
  TAGFLOW_ASSIGN_OR_RETURN(parsed.slice, ParseSlice(parts.back()));
  parts.pop_back();
  for (const std::string_view part : parts) {
    int64_t dim = 0;
    if (!ParseInteger(part, dim) || dim < 0) {
      return InvalidArgument("Non numerical dimension in shape_and_slice: " + text);
    }
    parsed.dims.push_back(dim);
  }
  TAGFLOW_RETURN_IF_ERROR(NumElements(parsed.dims).status());
  TAGFLOW_RETURN_IF_ERROR(Bounded(parsed.slice, parsed.dims).status());
  return parsed;
}

Result<TensorSlice> Bounded(const TensorSlice& slice, const Dims& dims) {
  const auto both = [&] { return "shape = " + DimsString(dims) + ", slice = " + slice.ToString(); };
  if (slice.extents.size() != dims.size()) return Internal("Mismatching ranks: " + both());
  TensorSlice bounded = slice;
  for (size_t d = 0; d < dims.size(); ++d) {
    TensorSlice::Extent& extent = bounded.extents[d];
    if (extent.length == TensorSlice::kAll) extent.length = dims[d];
    if (extent.start < 0 || extent.length < 0 || extent.length > dims[d] ||
        extent.start > dims[d] - extent.length) {
      return Internal("Extent in dimension " + std::to_string(d) + " out of bounds: " + both());
    }
  }
  return bounded;
}

Dims LengthsOf(const TensorSlice& slice) {
  Dims dims;
  for (const auto& extent : slice.extents) dims.push_back(extent.length);
  return dims;
}

std::string SliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendCount(key, 0);
  AppendText(key, name);
  AppendCount(key, slice.extents.size());
  for (const auto& extent : slice.extents) {
    AppendNumber(key, extent.start);
    AppendNumber(key, extent.length);
  }
  return key;
}

TensorSlice Shared(const TensorSlice& a, const TensorSlice& b) {
  TensorSlice shared;
  for (size_t d = 0; d < a.extents.size(); ++d) {
    const auto &x = a.extents[d], &y = b.extents[d];
    const int64_t start = std::max(x.start, y.start);
    const int64_t end = std::min(x.start + x.length, y.start + y.length);
    shared.extents.push_back({start, std::max(end - start, int64_t{0})});
  }
  return shared;
}

bool Overlap(const TensorSlice& a, const TensorSlice& b) {
  return std::ranges::none_of(Shared(a, b).extents, [](const auto& e) { return e.length == 0; });
}

Status CopyShared(const Block& from, Block& to, std::vector<bool>& filled) {
  if (!Overlap(from.slice, to.slice)) return Status();
  const std::vector<TensorSlice::Extent> shared = Shared(from.slice, to.slice).extents;
  const size_t rank = shared.size();
  Dims at(rank);
  for (size_t d = 0; d < rank; ++d) at[d] = shared[d].start;
  // Run by run of the last dimension; the others count on like the wheels of a counter.
  const auto count = rank == 0 ? size_t{1} : static_cast<size_t>(shared[rank - 1].length);
  for (size_t d = rank;;) {
    const size_t place = PlaceIn(to.slice, at);
    const auto first = filled.begin() + static_cast<std::ptrdiff_t>(place);
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    if (std::find(first, last, true) != last) {
      return Internal("Overlapping slices: slice " + from.slice.ToString() +
                      " has elements that another one has");
    }
    std::fill(first, last, true);
    CopyElements(from.values, PlaceIn(from.slice, at), to.values, place, count);
    for (d = rank; d > 1; --d) {
      if (++at[d - 2] < shared[d - 2].start + shared[d - 2].length) break;
      at[d - 2] = shared[d - 2].start;
    }
    if (d <= 1) return Status();
  }
}

}  // namespace tagflow
