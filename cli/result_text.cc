#include "cli/result_text.h"

#include <algorithm>
#include <string>

namespace tagflow::cli {
namespace {

class Writer {
 public:
  Writer(const Tensor& tensor, bool summarizes,
         const std::function<void(std::string_view text)>& write)
      : dims_(tensor.dims().begin(), tensor.dims().end()),
        elements_(tensor.Reshaped(Dims{tensor.num_elements()})),
        summarizes_(summarizes),
        write_(write) {}
  ~Writer() { write_(text_); }

  // The part of the tensor whose indices before `axis` are chosen.
  //   part: its place among the parts of that axis, in row-major order
  void Write(size_t axis, int64_t part) {
    if (axis == dims_.size()) return AddElements(part, 1);
    const int64_t length = dims_[axis];
    const bool is_cut = summarizes_ && length > 2 * kEdge;
    Add("[");
    WriteRange(axis, part * length, is_cut ? kEdge : length);
    if (is_cut) {
      Add(", ..., ");
      WriteRange(axis, part * length + length - kEdge, kEdge);
    }
    Add("]");
  }

 private:
  void WriteRange(size_t axis, int64_t begin, int64_t count) {
    if (axis + 1 == dims_.size()) return AddElements(begin, count);
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) Add(", ");
      Write(axis + 1, begin + i);
    }
  }

  // "1, 2, 3"
  void AddElements(int64_t begin, int64_t count) {
    constexpr int64_t kPiece = 4096;
    for (int64_t done = 0; done < count; done += kPiece) {
      if (done > 0) Add(", ");
      const int64_t size = std::min(kPiece, count - done);
      const Tensor piece = elements_.SliceOuter(begin + done, size);
      const std::string text = piece.DebugString(static_cast<int>(size));
      const size_t open = text.find(" [") + 2;
      Add(std::string_view(text).substr(open, text.size() - 1 - open));
    }
  }

  void Add(std::string_view text) {
    constexpr size_t kPiece = 1 << 16;
    text_ += text;
    if (text_.size() < kPiece) return;
    write_(text_);
    text_.clear();
  }

  const Dims dims_;
  const Tensor elements_;
  const bool summarizes_;
  const std::function<void(std::string_view text)>& write_;
  std::string text_;
};

// How many lists a tensor without elements would be written as; 0 of one with elements.
int64_t EmptyRows(DimsView dims) {
  int64_t rows = 1;
  for (const int64_t dim : dims) {
    if (dim == 0) return rows;
    rows = std::min(rows * std::min(dim, kSummarizedAbove + 1), kSummarizedAbove + 1);
  }
  return 0;
}

}  // namespace

void WriteResult(const Tensor& tensor, bool all,
                 const std::function<void(std::string_view text)>& write) {
  if (!tensor.has_value() || tensor.memory_kind() == MemoryKind::kDevice) {
    return write(tensor.DebugString());
  }
  write(DTypeName(tensor.dtype()) + DimsString(tensor.dims()) + " ");
  if (EmptyRows(tensor.dims()) > kSummarizedAbove) return write("[]");
  Writer(tensor, !all && tensor.num_elements() > kSummarizedAbove, write).Write(0, 0);
}

}  // namespace tagflow::cli
