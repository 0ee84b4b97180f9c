// Ops that look into texts or take them apart: StringLength, Substr, StringSplit.
// Tested by conformance/ops/string.ops.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/small_vector.h"
#include "optimized/kernels/text.h"

namespace tagflow::optimized {
namespace {

//   output: int32, the bytes of each text, or its characters
Result<BoundKernel> BindLength(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool characters, CountsCharacters(binding.node));
  return BoundKernel([characters](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * output, context.Allocate(0, DType::kInt32, input.dims()));
    int32_t* length = output->mutable_data<int32_t>();
    for (const std::string& text : input.flat<std::string>()) {
      const auto continued = characters ? std::ranges::count_if(text, IsContinuation) : 0;
      *length++ = static_cast<int32_t>(static_cast<int64_t>(text.size()) - continued);
    }
    return Status();
  });
}

// ---- Substrings ----

Status OutsideOfText(int64_t position, int64_t size) {
  return InvalidArgument("position " + std::to_string(position) + " is outside of a text of " +
                         std::to_string(size));
}

// Substrings are [position, position + length) of a text, as far as it goes; a negative position
// counts from the end.
using Substring = Result<std::string_view> (*)(std::string_view text, int64_t position,
                                               int64_t length);

// In bytes; a negative length is all.
Result<std::string_view> SubstringOfBytes(std::string_view text, int64_t position, int64_t length) {
  const auto size = static_cast<int64_t>(text.size());
  if (position > size || position < -size) return OutsideOfText(position, size);
  const auto begin = static_cast<size_t>(position < 0 ? position + size : position);
  return text.substr(begin, length < 0 ? std::string_view::npos : static_cast<size_t>(length));
}

// The byte where the character begins that is so many behind the one at `begin`, or the end. The
// first byte begins a character, whatever it is.
size_t AfterCharacters(std::string_view text, size_t begin, int64_t count) {
  for (; count > 0 && begin < text.size(); --count) {
    do {
      ++begin;
    } while (begin < text.size() && IsContinuation(text[begin]));
  }
  return begin;
}

// In characters; a negative length is none.
Result<std::string_view> SubstringOfCharacters(std::string_view text, int64_t position,
                                               int64_t length) {
  int64_t size = text.empty() ? 0 : 1;
  for (size_t i = 1; i < text.size(); ++i) size += IsContinuation(text[i]) ? 0 : 1;
  if (position > size || position < -size) return OutsideOfText(position, size);
  const size_t begin = AfterCharacters(text, 0, position < 0 ? position + size : position);
  return text.substr(begin, AfterCharacters(text, begin, length) - begin);
}

//   input: texts; pos, len: integers of one shape, broadcast with the texts
Result<BoundKernel> BindSubstr(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool characters, CountsCharacters(binding.node));
  const Substring substring = characters ? SubstringOfCharacters : SubstringOfBytes;
  return BoundKernel([substring](KernelContext& context) -> Status {
    const Tensor& input = context.input(0);
    const DimsView ranges = context.input(1).dims();
    if (!SameDims(ranges, context.input(2).dims())) {
      return InvalidArgument("pos and len must have one shape, but have " + DimsString(ranges) +
                             " and " + DimsString(context.input(2).dims()));
    }
    TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(input.dims(), ranges));
    TAGFLOW_ASSIGN_OR_RETURN(const IntView positions, IntView::Of(context.input(1)));
    TAGFLOW_ASSIGN_OR_RETURN(const IntView lengths, IntView::Of(context.input(2)));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, dims));
    std::string* target = output.mutable_data<std::string>();
    const BroadcastRows rows({input.dims(), ranges}, dims);
    Status status;
    rows.ForEach([&](const int64_t* offsets) {
      for (int64_t i = 0; i < rows.row_size(); ++i) {
        const std::string& text = input.data<std::string>()[offsets[0] + i * rows.step(0)];
        const int64_t range = offsets[1] + i * rows.step(1);
        const auto piece = substring(text, positions[range], lengths[range]);
        if (!piece.ok()) {
          status = piece.status();
          return false;
        }
        *target++ = *piece;
      }
      return true;
    });
    TAGFLOW_RETURN_IF_ERROR(status);
    context.output(0) = std::move(output);
    return Status();
  });
}

// ---- Splitting ----

using Pieces = std::vector<std::string_view>;

// The pieces between single bytes out of `delimiters`; without any, every byte is a piece. A text
// without bytes has no pieces.
void SplitAtAny(std::string_view text, std::string_view delimiters, bool skips_empty,
                Pieces& pieces) {
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return;
  }
  for (size_t begin = 0; !text.empty() && begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skips_empty) pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The words of a text. After `splits` of them, if that is positive, the rest is one piece, empty or
// not.
void SplitWords(std::string_view text, int64_t splits, Pieces& words) {
  const auto skip = [&](auto is_skipped) {
    const auto end = std::ranges::find_if_not(text, is_skipped);
    const auto count = static_cast<size_t>(end - text.begin());
    const std::string_view skipped = text.substr(0, count);
    text.remove_prefix(count);
    return skipped;
  };
  for (int64_t left = splits; skip(IsBlank), !text.empty() && (splits <= 0 || left > 0); --left) {
    words.push_back(skip([](char c) { return !IsBlank(c); }));
  }
  if (splits > 0 && static_cast<int64_t>(words.size()) == splits) words.push_back(text);
}

// The pieces between the first `splits` separators, or between all if that is not positive.
void SplitAt(std::string_view text, std::string_view separator, int64_t splits, Pieces& pieces) {
  for (int64_t left = splits; splits <= 0 || left > 0; --left) {
    const size_t found = text.find(separator);
    if (found == std::string_view::npos) break;
    pieces.push_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
  }
  pieces.push_back(text);
}

// OK if input 0 is a vector and input 1 a scalar.
Status CheckSplit(const KernelContext& context) {
  if (context.input(0).rank() != 1) {
    return InvalidArgument("the texts to split must be a vector, but have shape " +
                           DimsString(context.input(0).dims()));
  }
  if (context.input(1).rank() == 0) return Status();
  return InvalidArgument("what to split at must be a scalar, but has shape " +
                         DimsString(context.input(1).dims()));
}

// The outputs of both splits: the pieces of all rows, the (row, place) of each, and the shape of a
// matrix that would hold them.
//   split(text, pieces): puts the pieces of a text there
template <typename F>
Status SplitRows(KernelContext& context, F split) {
  std::vector<int64_t> places;
  std::vector<std::string> texts;
  Pieces pieces;
  size_t most = 0;
  int64_t row = 0;
  for (const std::string& text : context.input(0).flat<std::string>()) {
    pieces.clear();
    split(text, pieces);
    for (size_t place = 0; place < pieces.size(); ++place) {
      places.push_back(row);
      places.push_back(static_cast<int64_t>(place));
      texts.emplace_back(pieces[place]);
    }
    most = std::max(most, pieces.size());
    ++row;
  }
  const auto count = static_cast<int64_t>(texts.size());
  context.output(0) = Tensor::Of<int64_t>(Dims{count, 2}, places);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, Dims{count}));
  std::ranges::move(texts, output.mutable_data<std::string>());
  context.output(1) = std::move(output);
  context.output(2) = Tensor::Vector<int64_t>({row, static_cast<int64_t>(most)});
  return Status();
}

//   input: vector; delimiter: scalar, the bytes that part pieces
Result<BoundKernel> BindSplit(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool skips_empty, BoolAttr(binding.node, "skip_empty"));
  return BoundKernel([skips_empty](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(CheckSplit(context));
    const std::string& delimiters = context.input(1).scalar<std::string>();
    return SplitRows(context, [&](std::string_view text, Pieces& pieces) {
      SplitAtAny(text, delimiters, skips_empty, pieces);
    });
  });
}

//   input: vector; sep: scalar, a text that parts pieces, or nothing for blanks
Result<BoundKernel> BindSplitV2(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t splits, IntAttr(binding.node, "maxsplit"));
  return BoundKernel([splits](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(CheckSplit(context));
    const std::string& separator = context.input(1).scalar<std::string>();
    return SplitRows(context, [&](std::string_view text, Pieces& pieces) {
      if (splits == 0) {
        pieces.push_back(text);
      } else if (separator.empty()) {
        SplitWords(text, splits, pieces);
      } else {
        SplitAt(text, separator, splits, pieces);
      }
    });
  });
}

}  // namespace

Status RegisterStringPieceKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringLength", BindLength},
                                {"Substr", BindSubstr},
                                {"StringSplit", BindSplit},
                                {"StringSplitV2", BindSplitV2}});
}

}  // namespace tagflow::optimized
