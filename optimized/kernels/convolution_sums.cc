#include "optimized/kernels/convolution_sums.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "optimized/kernels/clones.h"
#include "optimized/kernels/tile_product.h"

namespace tagflow::optimized {
namespace {

// A tile of the first factor: 120 KiB of floats, in whole tiles of rows of either width.
constexpr int64_t kTileRows = 120, kTileDepth = 256;
// Columns of sums that are made of it at a time: 240 KiB of floats with so many rows.
constexpr int64_t kTileColumns = 512;

template <typename T>
Result<Tensor> RoomFor(int64_t elements) {
  return Tensor::AllocateUninitialized(DType::kUInt8,
                                       Dims{std::max<int64_t>(elements, 1), int64_t{sizeof(T)}});
}

template <typename T>
int64_t PanelsFor(int64_t columns) {
  const int64_t width = PanelColumns<T>();
  return columns / width + (columns % width == 0 ? 0 : 1);
}

// A span in pieces of one size, but the last.
std::vector<Span> Pieces(Span span, int64_t size) {
  std::vector<Span> pieces;
  for (int64_t done = 0; done < span.count; done += size) {
    pieces.push_back({span.begin + done, std::min(size, span.count - done)});
  }
  return pieces;
}

// A panel of `depth` rows: element j of row k is from[k][j * step], of `count` elements, and zero
// behind them.
template <typename T>
void CopyPanel(const T* const* from, int64_t step, int64_t depth, int64_t begin, int64_t count,
               T* to) {
  const int64_t width = PanelColumns<T>();
  if (step == 1) {
    for (int64_t k = 0; k < depth; ++k, to += width) {
      std::fill_n(std::copy_n(from[k] + begin, count, to), width - count, T(0));
    }
    return;
  }
  // Rows side by side, since their elements may be too.
  for (int64_t j = 0; j < width; ++j) {
    for (int64_t k = 0; k < depth; ++k) {
      to[k * width + j] = j < count ? from[k][(begin + j) * step] : T(0);
    }
  }
}

// Whether zero times each element is zero. Panels are whole vectors: their columns are summed side
// by side.
template <typename T>
TAGFLOW_CLONES bool AreFinite(const T* panels, int64_t count) {
  constexpr int64_t kLanes = 8;
  T sums[kLanes] = {};
  for (int64_t i = 0; i < count; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) sums[j] += panels[i + j] * T(0);
  }
  return std::ranges::count(sums, T(0)) == kLanes;
}

// What MultiplyBlock gives, but for products with padding.
//   inside: as `left`; 0 where that is padding
template <typename T>
void MultiplyInside(const LeftBlock<T>& left, const T* inside, const RightPanel<T>& panel,
                    bool adds, T* out, int64_t out_step) {
  const int64_t width = PanelColumns<T>();
  for (int64_t i = 0; i < left.rows; ++i, out += out_step) {
    if (!adds) std::fill_n(out, width, T(0));
    for (int64_t k = 0; k < panel.depth; ++k) {
      const int64_t at = i * left.row_step + k * left.column_step;
      if (inside[at] == T(0)) continue;
      for (int64_t j = 0; j < width; ++j) out[j] += left.data[at] * panel.data[k * width + j];
    }
  }
}

// The left blocks of a product, and what of them is padding: looked at where a panel is not finite.
template <typename T>
class Multiplier {
 public:
  Multiplier(const TapGrid& grid, const ImageChannels<T>& source)
      : grid_(grid),
        source_(source),
        has_padding_(!std::ranges::all_of(grid.axes, &TapAxis::IsInside)) {}

  // A block of these rows and taps was gathered, `row_step` apart.
  void SetBlock(Span rows, Span depth, int64_t row_step) {
    rows_ = rows;
    depth_ = depth;
    row_step_ = row_step;
    inside_.clear();
  }
  bool has_padding() const { return has_padding_; }
  // MultiplyBlock without padding. `is_finite`: of the panel
  void Multiply(const LeftBlock<T>& left, const RightPanel<T>& panel, bool is_finite, bool adds,
                T* out, int64_t out_step) {
    if (!has_padding_ || is_finite) return MultiplyBlock(left, panel, adds, out, out_step);
    if (inside_.empty()) {
      const std::vector<T> ones(static_cast<size_t>(source_.channels), T(1));
      inside_.resize(static_cast<size_t>(rows_.count * row_step_));
      GatherInside(grid_, source_, ones.data(), rows_, depth_, inside_.data(), row_step_);
    }
    MultiplyInside(left, inside_.data(), panel, adds, out, out_step);
  }

 private:
  const TapGrid& grid_;
  const ImageChannels<T>& source_;
  const bool has_padding_;
  Span rows_ = {0, 0}, depth_ = {0, 0};
  int64_t row_step_ = 0;
  std::vector<T> inside_;
};

// The whole first factor, where it lies in the source as it is: windows of one element.
template <typename T>
bool LiesInRows(const TapGrid& grid, const ImageChannels<T>& source) {
  int64_t step = source.steps.spatial[2];
  for (size_t i = grid.axes.size(); i-- > 0; step *= grid.axes[i]->rows) {
    const TapAxis& axis = *grid.axes[i];
    const bool is_one = axis.taps.size() == 1 && axis.taps[0].offset == 0;
    if (!is_one || axis.step != 1 || axis.rows != axis.source) return false;
    if (axis.rows > 1 && source.steps.spatial[i] != step) return false;
  }
  return source.steps.channel == 1 && (grid.batch == 1 || source.steps.batch == step);
}

// Computes tiles of rows.
template <typename T>
class TapSummer {
 public:
  TapSummer(const TapGrid& grid, const ImageChannels<T>& source, const FilterPanels<T>& filter,
            T* room)
      : grid_(grid),
        source_(source),
        filter_(filter),
        left_(room),
        sums_(left_ + kTileRows * kTileDepth),
        panel_(sums_ + kTileRows * kTileColumns),
        lies_in_rows_(LiesInRows(grid, source)),
        multiplier_(grid, source) {}
  static int64_t Room() {
    return kTileRows * (kTileDepth + kTileColumns) + kTileDepth * PanelColumns<T>();
  }

  // The sums of these rows, for these panels of the filter.
  const T* Sum(Span rows, Span panels) {
    const int64_t width = PanelColumns<T>(), row_step = panels.count * width;
    if (filter_.depth() == 0) std::fill_n(sums_, rows.count * row_step, T(0));
    const T* from[kTileDepth];
    for (const Span depth : Pieces({0, filter_.depth()}, kTileDepth)) {
      const LeftBlock<T> left = Left(rows, depth);
      if (!filter_.are_kept()) filter_.FindRows(depth, from);
      for (int64_t i = 0; i < panels.count; ++i) {
        RightPanel<T> panel = {panel_, depth.count};
        if (filter_.are_kept()) {
          panel.data = filter_.Kept(depth, panels.begin + i);
          if (i + 1 < panels.count) panel.next = filter_.Kept(depth, panels.begin + i + 1);
        } else {
          filter_.Copy(depth, from, panels.begin + i, panel_);
        }
        const bool is_finite = filter_.are_kept() ? filter_.are_finite() : IsFinite(depth.count);
        multiplier_.Multiply(left, panel, is_finite, depth.begin > 0, sums_ + i * width, row_step);
      }
    }
    return sums_;
  }

 private:
  bool IsFinite(int64_t depth) const {
    return !multiplier_.has_padding() || AreFinite(panel_, depth * PanelColumns<T>());
  }
  LeftBlock<T> Left(Span rows, Span depth) {
    if (lies_in_rows_) {
      const int64_t step = source_.steps.spatial[2];
      return {source_.data + rows.begin * step + depth.begin, rows.count, step, 1};
    }
    GatherTaps(grid_, source_, rows, depth, left_, kTileDepth);
    multiplier_.SetBlock(rows, depth, kTileDepth);
    return {left_, rows.count, kTileDepth, 1};
  }

  const TapGrid& grid_;
  const ImageChannels<T>& source_;
  const FilterPanels<T>& filter_;
  T* const left_;
  T* const sums_;
  T* const panel_;
  const bool lies_in_rows_;
  Multiplier<T> multiplier_;
};

// Computes tiles of the gradient by the filter. Rows of the grid are the inner index, so a tile of
// the first factor is as long as those above are deep.
template <typename T>
class RowSummer {
 public:
  RowSummer(const TapGrid& grid, const ImageChannels<T>& source, const ImageChannels<T>& gradient,
            T* room)
      : grid_(grid),
        source_(source),
        gradient_(gradient),
        left_(room),
        sums_(left_ + kTileDepth * kTileRows),
        panel_(sums_ + kTileRows * kTileColumns),
        multiplier_(grid, source) {}
  static int64_t Room() { return TapSummer<T>::Room(); }

  // The sums of these taps and channels, for these channels of the gradient.
  const T* Sum(Span depth, Span columns) {
    const int64_t width = PanelColumns<T>(), row_step = PanelsFor<T>(columns.count) * width;
    std::fill_n(sums_, depth.count * row_step, T(0));
    const T* from[kTileDepth];
    for (const Span rows : Pieces({0, grid_.NumRows()}, kTileDepth)) {
      GatherTaps(grid_, source_, rows, depth, left_, kTileRows);
      multiplier_.SetBlock(rows, depth, kTileRows);
      FindRows(rows, columns.begin, from);
      for (const Span panel : Pieces({0, columns.count}, width)) {
        CopyPanel(from, gradient_.steps.channel, rows.count, panel.begin, panel.count, panel_);
        const bool is_finite = !multiplier_.has_padding() || AreFinite(panel_, rows.count * width);
        multiplier_.Multiply({left_, depth.count, 1, kTileRows}, {panel_, rows.count}, is_finite,
                             /*adds=*/true, sums_ + panel.begin, row_step);
      }
    }
    return sums_;
  }

 private:
  // Where the gradients of these rows are, from a channel on.
  void FindRows(Span rows, int64_t channel, const T** from) const {
    const ImageSteps& steps = gradient_.steps;
    GridPlace place = GridPlace::Of(grid_, rows.begin);
    for (int64_t i = 0; i < rows.count; ++i, place.Advance(grid_)) {
      from[i] = gradient_.data + ElementOf(grid_, steps, place) + channel * steps.channel;
    }
  }

  const TapGrid& grid_;
  const ImageChannels<T>& source_;
  const ImageChannels<T>& gradient_;
  T* const left_;
  T* const sums_;
  T* const panel_;
  Multiplier<T> multiplier_;
};

}  // namespace

template <typename T>
FilterPanels<T>::FilterPanels(const TapGrid& grid, int64_t channels,
                              const FilterChannels<T>& filter)
    : grid_(grid), channels_(channels), filter_(filter), depth_(grid.NumTaps() * channels) {}

template <typename T>
Result<FilterPanels<T>> FilterPanels<T>::Of(const TapGrid& grid, int64_t channels,
                                            const FilterChannels<T>& filter, CopiedPanelsPtr copied,
                                            int64_t first) {
  FilterPanels panels(grid, channels, filter);
  if (copied != nullptr) {
    panels.copied_ = std::move(copied);
    panels.first_ = first;
    return panels;
  }
  if (grid.NumRows() <= kTileRows) return panels;
  TAGFLOW_ASSIGN_OR_RETURN(CopiedPanels made, Copied(grid, channels, filter));
  panels.copied_ = std::make_shared<const CopiedPanels>(std::move(made));
  return panels;
}

template <typename T>
Result<CopiedPanels> FilterPanels<T>::Copied(const TapGrid& grid, int64_t channels,
                                             const FilterChannels<T>& filter) {
  const FilterPanels panels(grid, channels, filter);
  const int64_t count = PanelsFor<T>(filter.columns), width = PanelColumns<T>();
  CopiedPanels copied{Tensor(), count};
  TAGFLOW_ASSIGN_OR_RETURN(copied.elements, RoomFor<T>(panels.depth_ * count * width));
  T* to = static_cast<T*>(copied.elements.mutable_raw_data());
  for (const Span rows : Pieces({0, panels.depth_}, kTileDepth)) {
    const T* from[kTileDepth];
    panels.FindRows(rows, from);
    for (int64_t i = 0; i < count; ++i, to += rows.count * width) panels.Copy(rows, from, i, to);
  }
  copied.are_finite =
      AreFinite(static_cast<const T*>(copied.elements.raw_data()), panels.depth_ * count * width);
  return copied;
}

template <typename T>
const T* FilterPanels<T>::Kept(Span rows, int64_t panel) const {
  const int64_t before = rows.begin * copied_->count + (first_ + panel) * rows.count;
  return static_cast<const T*>(copied_->elements.raw_data()) + before * PanelColumns<T>();
}

template <typename T>
void FilterPanels<T>::FindRows(Span rows, const T** from) const {
  for (int64_t i = 0; i < rows.count; ++i) {
    const int64_t tap = (rows.begin + i) / channels_, channel = (rows.begin + i) % channels_;
    from[i] = filter_.data + grid_.InWindow(tap) * filter_.steps.in_window +
              channel * filter_.steps.depth;
  }
}

template <typename T>
void FilterPanels<T>::Copy(Span rows, const T* const* from, int64_t panel, T* to) const {
  const int64_t width = PanelColumns<T>(), begin = panel * width;
  CopyPanel(from, filter_.steps.column, rows.count, begin, std::min(width, filter_.columns - begin),
            to);
}

template <typename T>
Status SumTaps(const TapGrid& grid, const ImageChannels<T>& source, const FilterPanels<T>& filter,
               const SumsTarget& target, const ImageSteps& steps, Span rows) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor room, RoomFor<T>(TapSummer<T>::Room()));
  TapSummer<T> summer(grid, source, filter, static_cast<T*>(room.mutable_raw_data()));
  const int64_t width = PanelColumns<T>(), panels_max = kTileColumns / width;
  for (const Span tile : Pieces(rows, kTileRows)) {
    for (const Span panels : Pieces({0, PanelsFor<T>(filter.columns())}, panels_max)) {
      const T* sums = summer.Sum(tile, panels);
      const int64_t column = panels.begin * width;
      const int64_t columns = std::min(panels.count * width, filter.columns() - column);
      WriteRows<T>(grid, {sums, panels.count * width, tile, {column, columns}}, target, steps);
    }
  }
  return Status();
}

template <typename T>
Status SumRows(const TapGrid& grid, const ImageChannels<T>& source,
               const ImageChannels<T>& gradient, const SumsTarget& target, const FilterSteps& steps,
               Span depth) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor room, RoomFor<T>(RowSummer<T>::Room()));
  RowSummer<T> summer(grid, source, gradient, static_cast<T*>(room.mutable_raw_data()));
  for (const Span tile : Pieces(depth, kTileRows)) {
    for (const Span columns : Pieces({0, gradient.channels}, kTileColumns)) {
      const T* sums = summer.Sum(tile, columns);
      const int64_t row_step = PanelsFor<T>(columns.count) * PanelColumns<T>();
      WriteDepth<T>(grid, source.channels, {sums, row_step, tile, columns}, target, steps);
    }
  }
  return Status();
}

#define TAGFLOW_INSTANTIATE(T)                                                              \
  template class FilterPanels<T>;                                                           \
  template Status SumTaps(const TapGrid&, const ImageChannels<T>&, const FilterPanels<T>&,  \
                          const SumsTarget&, const ImageSteps&, Span);                      \
  template Status SumRows(const TapGrid&, const ImageChannels<T>&, const ImageChannels<T>&, \
                          const SumsTarget&, const FilterSteps&, Span)
TAGFLOW_INSTANTIATE(float);
TAGFLOW_INSTANTIATE(double);
TAGFLOW_INSTANTIATE(uint64_t);

}  // namespace tagflow::optimized
