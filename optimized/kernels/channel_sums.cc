#include "optimized/kernels/channel_sums.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/formula.h"

namespace tagflow::optimized {
namespace {

// Channels that are summed up side by side: in four vectors of 256 bits, or twice as many of 128.
// (An array of them would be kept in memory.)
template <typename T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(32)));
  static constexpr int64_t kOfVector = 32 / sizeof(T);
  static constexpr int64_t kAll = 4 * kOfVector;

  Vector v0 = {}, v1 = {}, v2 = {}, v3 = {};
};
template <typename T>
inline __attribute__((always_inline)) void AddProducts(const T* x, const T* y, Lanes<T>& sums) {
  const auto add =
      [ x, y ](int64_t at, typename Lanes<T>::Vector & sum) __attribute__((always_inline)) {
    typename Lanes<T>::Vector a, b;
    std::memcpy(&a, x + at, sizeof(a));
    std::memcpy(&b, y + at, sizeof(b));
    sum += a * b;
  };
  add(0, sums.v0);
  add(Lanes<T>::kOfVector, sums.v1);
  add(2 * Lanes<T>::kOfVector, sums.v2);
  add(3 * Lanes<T>::kOfVector, sums.v3);
}
template <typename T>
inline __attribute__((always_inline)) void Store(const Lanes<T>& sums, T* to) {
  std::memcpy(to, &sums.v0, sizeof(sums.v0));
  std::memcpy(to + Lanes<T>::kOfVector, &sums.v1, sizeof(sums.v1));
  std::memcpy(to + 2 * Lanes<T>::kOfVector, &sums.v2, sizeof(sums.v2));
  std::memcpy(to + 3 * Lanes<T>::kOfVector, &sums.v3, sizeof(sums.v3));
}

template <typename T>
Result<Tensor> RoomFor(int64_t elements) {
  return Tensor::AllocateUninitialized(DType::kUInt8,
                                       Dims{std::max<int64_t>(elements, 1), int64_t{sizeof(T)}});
}

// Taps [begin, end) look at places of the source, from this row of an axis.
struct TapRange {
  int64_t begin, end;
};
TapRange TapsInside(const TapAxis& axis, int64_t row) {
  const int64_t at = row * axis.step;
  if (axis.taps.empty()) return {0, 0};
  if (at + axis.taps.front().offset >= 0 && at + axis.taps.back().offset < axis.source) {
    return {0, std::ssize(axis.taps)};
  }
  const auto is_before = [at](const Tap& tap) { return at + tap.offset < 0; };
  const auto is_inside = [&axis, at](const Tap& tap) { return at + tap.offset < axis.source; };
  const auto first = std::ranges::partition_point(axis.taps, is_before);
  const auto last = std::ranges::partition_point(axis.taps, is_inside);
  return {first - axis.taps.begin(), last - axis.taps.begin()};
}

// A line of a source that a line of rows looks at by some taps along the outer axes, with the
// elements of a filter for the taps along it; channels side by side in both.
template <typename T>
struct SourceLine {
  const T* source;
  const T* filter;
};

// Where the taps of an axis look, in elements of a line, from row 0.
std::vector<int64_t> OffsetsOf(const TapAxis& axis, int64_t channels) {
  std::vector<int64_t> offsets;
  for (const Tap& tap : axis.taps) offsets.push_back(tap.offset * channels);
  return offsets;
}

// out[row, channel] for all rows of a line.
template <typename T>
TAGFLOW_CLONES void SumLine(const TapAxis& axis, const std::vector<SourceLine<T>>& lines,
                            int64_t channels, const int64_t* offsets, T* out) {
  for (int64_t row = 0; row < axis.rows; ++row, out += channels) {
    const TapRange taps = TapsInside(axis, row);
    const int64_t begin = row * axis.step * channels;
    int64_t channel = 0;
    for (; channel + Lanes<T>::kAll <= channels; channel += Lanes<T>::kAll) {
      Lanes<T> sums;
      for (const SourceLine<T>& line : lines) {
        for (int64_t tap = taps.begin; tap < taps.end; ++tap) {
          AddProducts(line.source + begin + offsets[tap] + channel,
                      line.filter + tap * channels + channel, sums);
        }
      }
      Store(sums, out + channel);
    }
    if (channel == channels) continue;
    std::fill(out + channel, out + channels, T(0));
    for (const SourceLine<T>& line : lines) {
      for (int64_t tap = taps.begin; tap < taps.end; ++tap) {
        const T* x = line.source + begin + offsets[tap];
        const T* f = line.filter + tap * channels;
        TAGFLOW_INDEPENDENT
        for (int64_t i = channel; i < channels; ++i) out[i] += x[i] * f[i];
      }
    }
  }
}

// Rows of an axis from which a tap looks inside: [begin, end).
TapRange RowsInside(const TapAxis& axis, const Tap& tap) {
  const int64_t behind = axis.source - tap.offset;  // in steps of the source, from row 0
  const int64_t begin = tap.offset < 0 ? (-tap.offset - 1) / axis.step + 1 : 0;
  const int64_t end = behind <= 0 ? 0 : std::min(axis.rows, (behind - 1) / axis.step + 1);
  return {begin, std::max(begin, end)};
}

// sums[tap, channel] += what the rows of a line look at by the tap, times their gradients.
template <typename T>
TAGFLOW_CLONES void AddLine(const TapAxis& axis, const T* source, const T* gradient,
                            int64_t channels, T* sums) {
  for (const Tap& tap : axis.taps) {
    const TapRange rows = RowsInside(axis, tap);
    const T* x = source + (rows.begin * axis.step + tap.offset) * channels;
    const T* g = gradient + rows.begin * channels;
    int64_t channel = 0;
    for (; channel + Lanes<T>::kAll <= channels; channel += Lanes<T>::kAll) {
      Lanes<T> of_line;
      for (int64_t row = 0; row < rows.end - rows.begin; ++row) {
        AddProducts(x + row * axis.step * channels + channel, g + row * channels + channel,
                    of_line);
      }
      T stored[Lanes<T>::kAll];
      Store(of_line, stored);
      for (int64_t i = 0; i < Lanes<T>::kAll; ++i) sums[channel + i] += stored[i];
    }
    for (; channel < channels; ++channel) {
      T of_line = 0;
      for (int64_t row = 0; row < rows.end - rows.begin; ++row) {
        of_line += x[row * axis.step * channels + channel] * g[row * channels + channel];
      }
      sums[channel] += of_line;
    }
    sums += channels;
  }
}

// Places of a line of an image: [place, channel * multiplier + i] in `room`, or where they lie.
template <typename T>
const T* LineOfChannels(const ImageChannels<T>& image, const T* line, int64_t places,
                        int64_t multiplier, T* room) {
  const int64_t step = image.steps.spatial[2];
  if (image.steps.channel == 1 && multiplier == 1 && (step == image.channels || places == 1)) {
    return line;
  }
  T* to = room;
  for (int64_t place = 0; place < places; ++place) {
    for (int64_t channel = 0; channel < image.channels; ++channel, to += multiplier) {
      std::fill_n(to, multiplier, line[place * step + channel * image.steps.channel]);
    }
  }
  return room;
}

// The lines that a line of rows looks at, each with the filter's elements for it.
template <typename T>
class LineReader {
 public:
  LineReader(const TapGrid& grid, const ImageChannels<T>& image, int64_t multiplier)
      : grid_(grid), image_(image), multiplier_(multiplier) {}

  int64_t channels() const { return image_.channels * multiplier_; }
  // Elements of a line as it is read.
  int64_t size() const { return grid_.axes[2]->source * channels(); }
  int64_t lines_max() const { return Taps(0) * Taps(1); }

  // Calls visit(line, tap): the first element of a line, and the number of the first tap on it.
  template <typename Visit>
  void ForEachLine(const GridPlace& row, T* room, Visit visit) const {
    const ImageSteps& steps = image_.steps;
    const TapRange outer = TapsInside(*grid_.axes[0], row.at[0]);
    const TapRange middle = TapsInside(*grid_.axes[1], row.at[1]);
    for (int64_t i = outer.begin; i < outer.end; ++i) {
      for (int64_t j = middle.begin; j < middle.end; ++j, room += size()) {
        const T* line = image_.data + row.batch * steps.batch +
                        Place(0, row, i) * steps.spatial[0] + Place(1, row, j) * steps.spatial[1];
        visit(LineOfChannels(image_, line, grid_.axes[2]->source, multiplier_, room),
              (i * Taps(1) + j) * Taps(2));
      }
    }
  }

 private:
  int64_t Taps(size_t axis) const { return static_cast<int64_t>(grid_.axes[axis]->taps.size()); }
  int64_t Place(size_t axis, const GridPlace& row, int64_t tap) const {
    const TapAxis& along = *grid_.axes[axis];
    return row.at[axis] * along.step + along.taps[static_cast<size_t>(tap)].offset;
  }

  const TapGrid& grid_;
  const ImageChannels<T>& image_;
  const int64_t multiplier_;
};

// The filter's elements in order of the taps: [tap, channel].
template <typename T>
void OrderByTaps(const TapGrid& grid, const T* filter, int64_t channels, T* to) {
  const int64_t taps = grid.NumTaps();
  for (int64_t tap = 0; tap < taps; ++tap, to += channels) {
    std::copy_n(filter + grid.InWindow(tap) * channels, channels, to);
  }
}

// Adds up each `multiplier` neighbours, in place.
template <typename T>
void AddNeighbours(T* sums, int64_t count, int64_t multiplier) {
  for (int64_t i = 0; i < count; ++i) {
    T sum = 0;
    for (int64_t j = 0; j < multiplier; ++j) sum += sums[i * multiplier + j];
    sums[i] = sum;
  }
}

// `repeats`: how often the source's channels are for the sums; `adds`: how many sums are one.
template <typename T>
Status SumLines(const TapGrid& grid, const ImageChannels<T>& source, int64_t repeats, int64_t adds,
                const T* filter, const SumsTarget& target, const ImageSteps& steps, Span lines) {
  const LineReader<T> reader(grid, source, repeats);
  const TapAxis& axis = *grid.axes[2];
  const int64_t channels = reader.channels();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor filter_room, RoomFor<T>(grid.NumTaps() * channels));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor sums_room, RoomFor<T>(axis.rows * channels));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor lines_room, RoomFor<T>(reader.lines_max() * reader.size()));
  T* const by_taps = static_cast<T*>(filter_room.mutable_raw_data());
  T* const sums = static_cast<T*>(sums_room.mutable_raw_data());
  OrderByTaps(grid, filter, channels, by_taps);
  const std::vector<int64_t> offsets = OffsetsOf(axis, channels);
  std::vector<SourceLine<T>> seen;
  for (int64_t line = lines.begin; line < lines.begin + lines.count; ++line) {
    const GridPlace row = GridPlace::Of(grid, line * axis.rows);
    seen.clear();
    reader.ForEachLine(row, static_cast<T*>(lines_room.mutable_raw_data()),
                       [&](const T* from, int64_t tap) {
                         seen.push_back({from, by_taps + tap * channels});
                       });
    SumLine(axis, seen, channels, offsets.data(), sums);
    if (adds > 1) AddNeighbours(sums, axis.rows * channels / adds, adds);
    WriteRows<T>(grid, {sums, channels / adds, {line * axis.rows, axis.rows}, {0, channels / adds}},
                 target, steps);
  }
  return Status();
}

}  // namespace

template <typename T>
Status SumTapsByChannel(const TapGrid& grid, const ImageChannels<T>& image, int64_t multiplier,
                        const T* filter, const SumsTarget& target, const ImageSteps& steps,
                        Span lines) {
  return SumLines(grid, image, multiplier, 1, filter, target, steps, lines);
}

template <typename T>
Status SumGradientByChannel(const TapGrid& grid, const ImageChannels<T>& gradient,
                            int64_t multiplier, const T* filter, const SumsTarget& target,
                            const ImageSteps& steps, Span lines) {
  return SumLines(grid, gradient, 1, multiplier, filter, target, steps, lines);
}

template <typename T>
Status SumRowsByChannel(const TapGrid& grid, const ImageChannels<T>& image, int64_t multiplier,
                        const ImageChannels<T>& gradient, const SumsTarget& target) {
  const LineReader<T> reader(grid, image, multiplier);
  const TapAxis& axis = *grid.axes[2];
  const int64_t channels = reader.channels(), taps = grid.NumTaps();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor sums_room, RoomFor<T>(taps * channels));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor gradient_room, RoomFor<T>(axis.rows * channels));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor lines_room, RoomFor<T>(reader.lines_max() * reader.size()));
  T* const sums = static_cast<T*>(sums_room.mutable_raw_data());
  std::fill_n(sums, taps * channels, T(0));
  for (int64_t row = 0; row < grid.NumRows(); row += axis.rows) {
    const GridPlace place = GridPlace::Of(grid, row);
    const T* from = gradient.data + ElementOf(grid, gradient.steps, place);
    const T* line = LineOfChannels(gradient, from, axis.rows, 1,
                                   static_cast<T*>(gradient_room.mutable_raw_data()));
    reader.ForEachLine(place, static_cast<T*>(lines_room.mutable_raw_data()),
                       [&](const T* source, int64_t tap) {
                         AddLine(axis, source, line, channels, sums + tap * channels);
                       });
  }
  WriteDepth<T>(grid, 1, {sums, channels, {0, taps}, {0, channels}}, target, {channels, 0, 1});
  return Status();
}

#define TAGFLOW_INSTANTIATE(T)                                                                     \
  template Status SumTapsByChannel(const TapGrid&, const ImageChannels<T>&, int64_t, const T*,     \
                                   const SumsTarget&, const ImageSteps&, Span);                    \
  template Status SumGradientByChannel(const TapGrid&, const ImageChannels<T>&, int64_t, const T*, \
                                       const SumsTarget&, const ImageSteps&, Span);                \
  template Status SumRowsByChannel(const TapGrid&, const ImageChannels<T>&, int64_t,               \
                                   const ImageChannels<T>&, const SumsTarget&)
TAGFLOW_INSTANTIATE(float);
TAGFLOW_INSTANTIATE(double);
TAGFLOW_INSTANTIATE(uint64_t);

}  // namespace tagflow::optimized
