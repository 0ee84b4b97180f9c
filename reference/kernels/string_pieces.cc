// Ops that look into texts or take them apart: StringLength, Substr, StringSplit.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"

namespace tagflow::reference {
namespace {

//   output: int32, the bytes of each text, or its characters
Status StringLength(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const bool characters, CountsCharacters(context.node));
  const Tensor& input = context.inputs[0];
  std::vector<int64_t> lengths;
  for (const std::string& text : input.flat<std::string>()) {
    const auto continued = std::count_if(text.begin(), text.end(), IsContinuation);
    lengths.push_back(static_cast<int64_t>(text.size()) - (characters ? continued : 0));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt32, input.dims(), lengths));
  return Status();
}

// Where the characters of a text begin, and its end. The first byte begins one, whatever it is.
std::vector<int64_t> CharacterStarts(const std::string& text) {
  std::vector<int64_t> starts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || !IsContinuation(text[i])) starts.push_back(static_cast<int64_t>(i));
  }
  starts.push_back(static_cast<int64_t>(text.size()));
  return starts;
}

Status OutsideOfText(int64_t position, int64_t size) {
  return InvalidArgument("position " + std::to_string(position) + " is outside of a text of " +
                         std::to_string(size));
}

// `length` bytes from `position`, or as many as there are; a negative position counts from the end,
// and a negative length is all.
Result<std::string> ByteSubstring(const std::string& text, int64_t position, int64_t length) {
  const auto size = static_cast<int64_t>(text.size());
  if (position > size || position < -size) return OutsideOfText(position, size);
  const auto begin = static_cast<size_t>(position < 0 ? position + size : position);
  return text.substr(begin, length < 0 ? std::string::npos : static_cast<size_t>(length));
}

// The same of characters, but that a negative length is none.
Result<std::string> CharacterSubstring(const std::string& text, int64_t position, int64_t length) {
  const std::vector<int64_t> starts = CharacterStarts(text);
  const int64_t size = static_cast<int64_t>(starts.size()) - 1;
  if (position > size || position < -size) return OutsideOfText(position, size);
  const int64_t begin = position < 0 ? position + size : position;
  const int64_t end = begin + std::clamp(length, int64_t{0}, size - begin);
  const auto at = [&](int64_t i) { return static_cast<size_t>(starts[static_cast<size_t>(i)]); };
  return text.substr(at(begin), at(end) - at(begin));
}

//   input: texts; pos, len: integers of one shape, broadcast with the texts
Status Substr(KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& positions = context.inputs[1];
  TAGFLOW_ASSIGN_OR_RETURN(const bool characters, CountsCharacters(context.node));
  if (ToDims(positions.dims()) != ToDims(context.inputs[2].dims())) {
    return InvalidArgument("pos and len must have one shape, but have " +
                           DimsString(positions.dims()) + " and " +
                           DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(input.dims(), positions.dims()));
  TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
  TAGFLOW_ASSIGN_OR_RETURN(const auto from, IndexValues(positions));
  TAGFLOW_ASSIGN_OR_RETURN(const auto lengths, IndexValues(context.inputs[2]));
  const auto text_of = BroadcastIndices(input.dims(), dims);
  const auto range_of = BroadcastIndices(positions.dims(), dims);
  std::vector<std::string> substrings;
  for (size_t i = 0; i < text_of.size(); ++i) {
    const std::string& text = input.data<std::string>()[text_of[i]];
    const auto range = static_cast<size_t>(range_of[i]);
    TAGFLOW_ASSIGN_OR_RETURN(std::string substring,
                             characters ? CharacterSubstring(text, from[range], lengths[range])
                                        : ByteSubstring(text, from[range], lengths[range]));
    substrings.push_back(std::move(substring));
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(dims, std::move(substrings)));
  return Status();
}

using Pieces = std::vector<std::string_view>;

// The pieces between single bytes out of `delimiters`; without any, every byte is a piece. A text
// without bytes has no pieces.
Pieces SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty) {
  Pieces pieces;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return pieces;
  }
  if (text.empty()) return pieces;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return pieces;
}

// The words of a text. After `splits` of them, if that is positive, the rest is one piece, empty or
// not.
Pieces SplitWords(std::string_view text, int64_t splits) {
  Pieces words;
  const auto skip_spaces = [&] {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  };
  for (skip_spaces(); !text.empty(); skip_spaces()) {
    if (splits > 0 && static_cast<int64_t>(words.size()) == splits) break;
    const auto end = std::find_if(text.begin(), text.end(), IsSpace) - text.begin();
    words.push_back(text.substr(0, static_cast<size_t>(end)));
    text.remove_prefix(static_cast<size_t>(end));
  }
  if (splits > 0 && static_cast<int64_t>(words.size()) == splits) words.push_back(text);
  return words;
}

// The pieces between the first `splits` separators, or between all if that is not positive.
Pieces SplitAt(std::string_view text, std::string_view separator, int64_t splits) {
  Pieces pieces;
  size_t found = text.find(separator);
  while (found != std::string_view::npos) {
    pieces.push_back(text.substr(0, found));
    text.remove_prefix(found + separator.size());
    if (splits > 0 && static_cast<int64_t>(pieces.size()) == splits) break;
    found = text.find(separator);
  }
  pieces.push_back(text);
  return pieces;
}

// The outputs of both splits: the pieces of all rows, the (row, place) of each, and the shape of a
// matrix that would hold them.
Status SplitRows(KernelContext& context, const std::function<Pieces(std::string_view)>& split) {
  std::vector<int64_t> places;
  std::vector<std::string> pieces;
  int64_t most = 0;
  int64_t row = 0;
  for (const std::string& text : context.inputs[0].flat<std::string>()) {
    int64_t place = 0;
    for (const std::string_view piece : split(text)) {
      places.push_back(row);
      places.push_back(place++);
      pieces.emplace_back(piece);
    }
    most = std::max(most, place);
    ++row;
  }
  const auto count = static_cast<int64_t>(pieces.size());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], IndexTensor(DType::kInt64, Dims{count, 2}, places));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1], TextTensor(Dims{count}, std::move(pieces)));
  context.outputs[2] = Tensor::Vector<int64_t>({row, most});
  return Status();
}

// OK if input 0 is a vector and input 1 a scalar.
Status CheckSplit(const KernelContext& context) {
  if (context.inputs[0].rank() != 1) {
    return InvalidArgument("the texts to split must be a vector, but have shape " +
                           DimsString(context.inputs[0].dims()));
  }
  if (context.inputs[1].rank() == 0) return Status();
  return InvalidArgument("what to split at must be a scalar, but has shape " +
                         DimsString(context.inputs[1].dims()));
}

//   input: vector; delimiter: scalar, the bytes that part pieces
Status StringSplit(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckSplit(context));
  TAGFLOW_ASSIGN_OR_RETURN(const bool skip_empty, BoolAttr(context.node, "skip_empty"));
  const std::string& delimiters = context.inputs[1].scalar<std::string>();
  return SplitRows(context,
                   [&](std::string_view text) { return SplitAtAny(text, delimiters, skip_empty); });
}

//   input: vector; sep: scalar, a text that parts pieces, or nothing for spaces
Status StringSplitV2(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckSplit(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t splits, IntAttr(context.node, "maxsplit"));
  const std::string& separator = context.inputs[1].scalar<std::string>();
  return SplitRows(context, [&](std::string_view text) {
    if (splits == 0) return Pieces{text};
    return separator.empty() ? SplitWords(text, splits) : SplitAt(text, separator, splits);
  });
}

}  // namespace

Status RegisterStringPieceKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringLength", StringLength},
                                {"Substr", Substr},
                                {"StringSplit", StringSplit},
                                {"StringSplitV2", StringSplitV2}});
}

}  // namespace tagflow::reference
