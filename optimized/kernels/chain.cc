#include "optimized/kernels/chain.h"

#include <algorithm>

#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {
namespace {

// What all rooms of a chain take at most: with what is read and written, the first cache holds it.
constexpr int64_t kRoomBytes = 16 * 1024;
// A piece of tensors of one shape, in bytes; all rooms may be of this size.
constexpr int64_t kBlockBytes = 1024;
static_assert(kBlockBytes * kChainRoomsMax <= kRoomBytes);
constexpr int64_t kLine = 64;  // bytes of a line of the caches

// How an input or value lies along the rows.
struct Value {
  enum class Form : uint8_t {
    kOne,   // one element, for all
    kRow,   // one row, for each
    kFull,  // as many rows as there are
  };
  Form form;
  int64_t columns;
  char* data;
  int64_t piece_step;  // bytes from the beginning of a piece to that of the next

  bool is_full() const { return form == Form::kFull; }
  int64_t step() const { return form == Form::kOne ? 0 : 1; }
};

class ChainRun {
 public:
  ChainRun(const ElementChain& chain, KernelContext& context)
      : chain_(chain), context_(context), size_(static_cast<int64_t>(DTypeSize(chain.dtype))) {}

  bool Run() {
    if (!FindWhole() || !FitInputs() || !FitSteps() || !ChoosePieces() || !Allocate()) return false;
    Compute();
    return true;
  }

 private:
  // The largest input says what shape the others fit or do not.
  bool FindWhole() {
    for (int i = 0; i < chain_.num_inputs; ++i) {
      const Tensor& input = context_.input(i);
      if (input.is_inline()) continue;
      if (whole_ == nullptr || input.num_elements() > whole_->num_elements()) whole_ = &input;
    }
    return whole_ != nullptr && whole_->rank() > 0;
  }

  bool FitInputs() {
    const DimsView dims = whole_->dims();
    for (int i = 0; i < chain_.num_inputs; ++i) {
      if (!FitInput(context_.input(i), dims, values_[i])) return false;
    }
    return true;
  }
  bool FitInput(const Tensor& input, DimsView whole, Value& value) {
    const DimsView dims = input.dims();
    const int64_t count = input.num_elements();
    if (count == 0 || dims.size() > whole.size()) return false;
    value.data = static_cast<char*>(const_cast<void*>(input.raw_data()));
    value.columns = dims.empty() ? 1 : dims.back();
    const size_t outer = whole.size() - 1;
    if (count == 1) {
      value.form = Value::Form::kOne;
    } else if (dims.size() == whole.size() && SameDims(dims.first(outer), whole.first(outer))) {
      value.form = Value::Form::kFull;
      differ_ |= dims[outer] != whole[outer];
    } else if (count == value.columns) {
      value.form = Value::Form::kRow;
      differ_ = true;
    } else {
      return false;
    }
    return true;
  }

  bool FitSteps() {
    num_values_ = chain_.num_inputs;
    return std::ranges::all_of(chain_.steps, [this](const ChainStep& step) {
      switch (step.kind) {
        case ChainStep::Kind::kPair:
          return FitPair(step);
        case ChainStep::Kind::kMap:
          return values_[step.x].is_full() && Give(values_[step.x].columns);
        case ChainStep::Kind::kBias:
          return FitBias(step);
        case ChainStep::Kind::kSplit:
          return FitSplit(step);
      }
      return false;
    });
  }
  bool Give(int64_t columns) {
    values_[num_values_].form = Value::Form::kFull;
    values_[num_values_].columns = columns;
    ++num_values_;
    return true;
  }
  bool FitPair(const ChainStep& step) {
    const Value& x = values_[step.x];
    const Value& y = values_[step.y];
    if (!x.is_full() && !y.is_full()) return false;
    if (step.pair.shapes == PairShapes::kSame && x.form != y.form) return false;
    const bool fit =
        x.columns == y.columns || x.form == Value::Form::kOne || y.form == Value::Form::kOne;
    return fit && Give(x.is_full() ? x.columns : y.columns);
  }
  bool FitBias(const ChainStep& step) {
    const Value& x = values_[step.x];
    const Value& bias = values_[step.y];
    // A bias of another rank, and one of one element, are the kernel's to judge.
    const bool is_vector = step.y < chain_.num_inputs && context_.input(step.y).rank() == 1;
    return x.is_full() && is_vector && whole_->rank() >= 2 && bias.form == Value::Form::kRow &&
           bias.columns == x.columns && Give(x.columns);
  }
  bool FitSplit(const ChainStep& step) {
    const Value& x = values_[step.x];
    const Tensor& axis_input = context_.input(step.y);
    if (!axis_input.is_inline() || !x.is_full() || x.columns % step.pieces != 0) return false;
    const auto axis = axis_input.inline_value<int32_t>();
    if (axis != -1 && axis != whole_->rank() - 1) return false;
    differ_ |= step.pieces > 1;
    for (int i = 0; i < step.pieces; ++i) Give(x.columns / step.pieces);
    return true;
  }

  // Pieces are rows where values differ in their shape, else blocks.
  bool ChoosePieces() {
    const int64_t count = whole_->num_elements(), columns = whole_->dims().back();
    if (!differ_) {
      piece_ = kBlockBytes / size_;
      pieces_ = (count + piece_ - 1) / piece_;
      room_step_ = kBlockBytes;
      return true;
    }
    pieces_ = count / columns;
    room_step_ = (columns * size_ + kLine - 1) / kLine * kLine;
    return chain_.num_rooms * room_step_ <= kRoomBytes && (pieces_ == 1 || Shortest() >= kRowMin);
  }
  int64_t Shortest() const {
    int64_t shortest = whole_->dims().back();
    for (int i = 0; i < num_values_; ++i) {
      if (values_[i].is_full()) shortest = std::min(shortest, values_[i].columns);
    }
    return shortest;
  }

  bool Allocate() {
    for (int i = 0; i < static_cast<int>(chain_.outputs.size()); ++i) {
      const ChainOutput& output = chain_.outputs[static_cast<size_t>(i)];
      SmallDims dims(whole_->dims());
      dims.back() = values_[output.value].columns;
      const Result<Tensor*> made = output.reuse
                                       ? context_.Allocate(i, chain_.dtype, dims, {*output.reuse})
                                       : context_.Allocate(i, chain_.dtype, dims);
      if (!made.ok()) return false;
      values_[output.value].data = static_cast<char*>((*made)->mutable_raw_data());
    }
    return true;
  }

  void Compute() {
    // About how long a step takes for an element.
    constexpr double kStepNs = 0.3;
    const int64_t elements = differ_ ? whole_->dims().back() : piece_;
    const double piece_ns =
        kStepNs * static_cast<double>(elements) * static_cast<double>(chain_.steps.size());
    if (context_.RangesFor(pieces_, piece_ns) <= 1) return ComputeHere(values_, 0, pieces_);
    context_.ForRanges(pieces_, piece_ns, [&](int64_t begin, int64_t end) {
      Value values[kChainValuesMax];
      std::copy_n(values_, num_values_, values);
      ComputeHere(values, begin, end);
    });
  }
  void ComputeHere(Value* values, int64_t begin, int64_t end) const {
    alignas(kLine) char rooms[kRoomBytes];
    Place(rooms, values);
    ComputePieces(values, begin, end);
  }
  void ComputePieces(const Value* values, int64_t begin, int64_t end) const {
    const int64_t count = whole_->num_elements();
    for (int64_t piece = begin; piece < end; ++piece) {
      ComputePiece(values, piece, differ_ ? 0 : std::min(piece_, count - piece * piece_));
    }
  }

  // Where each value's pieces are.
  void Place(char* rooms, Value* values) const {
    for (int i = 0; i < chain_.num_inputs; ++i) {
      values[i].piece_step = values[i].is_full() ? PieceBytes(values[i]) : 0;
    }
    Value* value = values + chain_.num_inputs;
    for (const ChainPlace& place : chain_.places) {
      switch (place.kind) {
        case ChainPlace::Kind::kRoom:
          value->data = rooms + place.index * room_step_;
          value->piece_step = 0;
          break;
        case ChainPlace::Kind::kOutput:
          value->piece_step = PieceBytes(*value);
          break;
        case ChainPlace::Kind::kPiece:
          value->data = values[place.whole].data + place.index * value->columns * size_;
          value->piece_step = values[place.whole].piece_step;
          break;
      }
      ++value;
    }
  }
  int64_t PieceBytes(const Value& value) const {
    return (differ_ ? value.columns : piece_) * size_;
  }

  // Number `piece`, of so many elements; of rows as long as each value has them, where it is 0.
  void ComputePiece(const Value* values, int64_t piece, int64_t elements) const {
    const Value* out = values + chain_.num_inputs;
    for (const ChainStep& step : chain_.steps) {
      const int64_t count = elements == 0 ? out->columns : elements;
      const Value& x = values[step.x];
      const char* x_data = x.data + piece * x.piece_step;
      char* to = out->data + piece * out->piece_step;
      out += step.pieces;
      if (step.kind == ChainStep::Kind::kSplit) continue;
      if (step.kind == ChainStep::Kind::kMap) {
        ComputeRow(step.map, MapRow{x_data, to, count});
        continue;
      }
      const Value& y = values[step.y];
      // Floats are not refused.
      ComputeRow(step.pair,
                 PairRow{x_data, x.step(), y.data + piece * y.piece_step, y.step(), to, count});
    }
  }

  const ElementChain& chain_;
  KernelContext& context_;
  const int64_t size_;  // bytes of an element
  const Tensor* whole_ = nullptr;
  bool differ_ = false;    // whether some value is a row, or has shorter ones than `whole_`
  int64_t piece_ = 0;      // elements of a block
  int64_t pieces_ = 0;     // how many
  int64_t room_step_ = 0;  // bytes
  int num_values_ = 0;     // that have been looked at
  Value values_[kChainValuesMax];
};

}  // namespace

bool RunChain(const ElementChain& chain, KernelContext& context) {
  // The first step reads inputs. If it is one of scalars, the chain is not for it.
  const ChainStep& first = chain.steps[0];
  if (context.input(first.x).is_inline() && context.input(first.y).is_inline()) return false;
  return ChainRun(chain, context).Run();
}

}  // namespace tagflow::optimized
