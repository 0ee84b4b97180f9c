// StringNGrams: the runs of so many texts that there are in each row of a ragged matrix of texts.
//
// A row is padded on both sides by at most one text less than the n-gram has, so that each n-gram
// has one of the row's own texts, and then every run of `width` texts in it is joined.

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"
#include "reference/kernels/string_util.h"

namespace tagflow::reference {
namespace {

// Texts that all n-grams of a call are joined of; more are refused before any is made.
constexpr int64_t kMostParts = int64_t{1} << 26;

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

struct NGramAttrs {
  std::string separator, left_pad, right_pad;
  std::vector<int64_t> widths;
  int64_t pad_width = 0;  // negative: as wide as can be
  bool keeps_short = false;
};

Result<NGramAttrs> ReadAttrs(const Node& node) {
  NGramAttrs attrs;
  TAGFLOW_ASSIGN_OR_RETURN(attrs.separator, StringAttr(node, "separator"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.left_pad, StringAttr(node, "left_pad"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.right_pad, StringAttr(node, "right_pad"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList widths, ListAttr(node, "ngram_widths"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.pad_width, IntAttr(node, "pad_width"));
  TAGFLOW_ASSIGN_OR_RETURN(attrs.keeps_short, BoolAttr(node, "preserve_short_sequences"));
  attrs.widths.assign(widths.ints.begin(), widths.ints.end());
  for (const int64_t width : attrs.widths) {
    if (width > 0 && width <= kMost) continue;
    return InvalidArgument("ngram_widths must be positive int32, but one is " +
                           std::to_string(width));
  }
  if (attrs.pad_width == static_cast<int32_t>(attrs.pad_width)) return attrs;
  return InvalidArgument("pad_width must be an int32, not " + std::to_string(attrs.pad_width));
}

// OK if the splits go from 0 to the number of texts and never back. Without any there are no rows.
Status CheckSplits(const std::vector<int64_t>& splits, int64_t texts) {
  if (splits.empty()) return Status();
  if (splits.front() != 0) {
    return InvalidArgument("the first split must be 0, but it is " +
                           std::to_string(splits.front()));
  }
  if (!std::ranges::is_sorted(splits)) return InvalidArgument("the splits must not descend");
  if (splits.back() == texts) return Status();
  return InvalidArgument("the last split must be the number of texts, " + std::to_string(texts) +
                         ", but it is " + std::to_string(splits.back()));
}

// A kind of n-grams that a row has.
struct Kind {
  int64_t width;
  int64_t padding;  // on each side
  int64_t count;
};

// The kinds of n-grams of a row of `size` texts, those without any left out.
//   Errors: INVALID_ARGUMENT for a padding that is too wide, or is to be found for no width
Result<std::vector<Kind>> KindsOf(const NGramAttrs& attrs, int64_t size) {
  std::vector<Kind> kinds;
  for (const int64_t width : attrs.widths) {
    const int64_t most = width - 1;
    const int64_t padding = attrs.pad_width < 0 ? most : std::min(attrs.pad_width, most);
    if (padding > kMost / 2 - size) {
      return InvalidArgument("a padding of " + std::to_string(padding) + " is too wide");
    }
    const int64_t count = size + 2 * padding - width + 1;
    if (count > 0) kinds.push_back({width, padding, count});
  }
  if (!kinds.empty() || !attrs.keeps_short || size == 0) return kinds;
  // The row as a whole, with all its padding.
  if (attrs.pad_width < 0) {
    return InvalidArgument("a row without n-grams is kept with padding of no less than 0, not " +
                           std::to_string(attrs.pad_width));
  }
  kinds.push_back({size + 2 * attrs.pad_width, attrs.pad_width, 1});
  return kinds;
}

// Every run of `width` texts in the padded row, joined.
void AddNGrams(const NGramAttrs& attrs, const Kind& kind, const std::vector<std::string_view>& row,
               std::vector<std::string>& ngrams) {
  std::vector<std::string_view> padded(static_cast<size_t>(kind.padding), attrs.left_pad);
  padded.insert(padded.end(), row.begin(), row.end());
  padded.insert(padded.end(), static_cast<size_t>(kind.padding), attrs.right_pad);
  for (int64_t i = 0; i < kind.count; ++i) {
    const auto first = padded.begin() + i;
    ngrams.push_back(
        Joined(std::vector<std::string_view>(first, first + kind.width), attrs.separator));
  }
}

// OK if input 0 and input 1 are vectors.
Status CheckRanks(const KernelContext& context) {
  for (const Tensor& input : context.inputs) {
    if (input.rank() == 1) continue;
    return InvalidArgument("texts and splits must be vectors, not of shape " +
                           DimsString(input.dims()));
  }
  return Status();
}

//   data: texts; data_splits: where each row begins and ends
//   ngrams: those of the first width for each row, then of the next; ngrams_splits: where the rows'
//   begin and end
Status StringNGrams(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(CheckRanks(context));
  const Tensor& data = context.inputs[0];
  const DType split_type = context.inputs[1].dtype();
  TAGFLOW_ASSIGN_OR_RETURN(const NGramAttrs attrs, ReadAttrs(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(std::vector<int64_t> splits, IndexValues(context.inputs[1]));
  TAGFLOW_RETURN_IF_ERROR(CheckSplits(splits, data.num_elements()));
  // As many texts as there are, if none is in a row; none is padded where there is none at all.
  std::vector<std::string> ngrams(splits.empty() ? static_cast<size_t>(data.num_elements()) : 0);
  std::vector<int64_t> ngram_splits(splits.size(), 0);
  int64_t parts = 0;
  for (size_t i = 1; i < splits.size() && data.num_elements() > 0; ++i) {
    const std::string* texts = data.data<std::string>();
    const std::vector<std::string_view> row(texts + splits[i - 1], texts + splits[i]);
    TAGFLOW_ASSIGN_OR_RETURN(const auto kinds, KindsOf(attrs, splits[i] - splits[i - 1]));
    for (const Kind& kind : kinds) {
      const bool fits = kind.count <= (kMostParts - parts) / kind.width;
      if (!fits) return ResourceExhausted("the n-grams would have too many texts in them");
      parts += kind.count * kind.width;
      AddNGrams(attrs, kind, row, ngrams);
    }
    ngram_splits[i] = static_cast<int64_t>(ngrams.size());
  }
  const auto count = static_cast<int64_t>(ngrams.size());
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], TextTensor(Dims{count}, std::move(ngrams)));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs[1],
                           IndexTensor(split_type, context.inputs[1].dims(), ngram_splits));
  return Status();
}

}  // namespace

Status RegisterStringNGramKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringNGrams", StringNGrams}});
}

}  // namespace tagflow::reference
