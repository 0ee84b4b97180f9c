// StringNGrams: the runs of so many texts that there are in each row of a ragged matrix of texts.
//
// A row is padded on both sides by at most one text less than the n-gram has, so that each n-gram
// has one of the row's own texts, and then every run of `width` texts in it is joined. No padded
// row is made here: the n-gram that begins `start` texts before its row, or inside of it, is some
// pads, some texts that lie side by side, and some pads. How long each n-gram gets is known before
// it is written.
//
// Tested by conformance/ops/string.ops.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optimized/kernels/families.h"
#include "optimized/kernels/int_view.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
// Texts that all n-grams of a call are joined of; more are refused before any is made.
constexpr int64_t kMostParts = int64_t{1} << 26;

// What the attrs say.
struct Form {
  std::string separator;
  std::string left_pad;
  std::string right_pad;
  std::vector<int64_t> widths;
  int64_t pad_width;  // negative: as wide as can be
  bool keeps_short;

  // On each side of a row, for n-grams of this width.
  int64_t PaddingFor(int64_t width) const {
    return pad_width < 0 ? width - 1 : std::min(pad_width, width - 1);
  }
};

// How many n-grams of this width a row of `size` texts has; negative or 0: none.
//   Errors: INVALID_ARGUMENT for a padding that is too wide
Result<int64_t> CountOf(const Form& form, int64_t width, int64_t size) {
  const int64_t padding = form.PaddingFor(width);
  if (padding <= kIntMax / 2 - size) return size + 2 * padding - width + 1;
  return InvalidArgument("a padding of " + std::to_string(padding) + " is too wide");
}

// The texts of a row.
struct Row {
  const std::string* texts;
  int64_t size;
};

// ngram = `width` texts of the padded row, from `start` on, which is negative among the pads.
void Write(const Form& form, const Row& row, int64_t start, int64_t width, std::string& ngram) {
  const int64_t begin = std::clamp<int64_t>(start, 0, row.size);
  const int64_t end = std::clamp<int64_t>(start + width, 0, row.size);
  const int64_t before = std::clamp<int64_t>(-start, 0, width);
  const int64_t behind = width - before - (end - begin);
  size_t bytes = static_cast<size_t>(width - 1) * form.separator.size() +
                 static_cast<size_t>(before) * form.left_pad.size() +
                 static_cast<size_t>(behind) * form.right_pad.size();
  for (int64_t i = begin; i < end; ++i) bytes += row.texts[i].size();
  ngram.reserve(bytes);
  int64_t left = width;
  const auto add = [&](const std::string& part) {
    ngram += part;
    if (--left > 0) ngram += form.separator;
  };
  for (int64_t i = 0; i < before; ++i) add(form.left_pad);
  for (int64_t i = begin; i < end; ++i) add(row.texts[i]);
  for (int64_t i = 0; i < behind; ++i) add(form.right_pad);
}

// The width that a row without n-grams is kept with: all of it, with its pads; 0: it is not kept.
//   Errors: INVALID_ARGUMENT where the padding is to be found for no width
Result<int64_t> WidthOfShort(const Form& form, int64_t size) {
  if (!form.keeps_short || size == 0) return int64_t{0};
  if (form.pad_width >= 0) return size + 2 * form.pad_width;
  return InvalidArgument("a row without n-grams is kept with padding of no less than 0, not " +
                         std::to_string(form.pad_width));
}

// OK if the splits go from 0 to the number of texts and never back. Without any there are no rows.
Status CheckSplits(const IntView& splits, int64_t count, int64_t texts) {
  if (count == 0) return Status();
  if (splits[0] != 0) {
    return InvalidArgument("the first split must be 0, but it is " + std::to_string(splits[0]));
  }
  for (int64_t i = 1; i < count; ++i) {
    if (splits[i] < splits[i - 1]) return InvalidArgument("the splits must not descend");
  }
  if (splits[count - 1] == texts) return Status();
  return InvalidArgument("the last split must be the number of texts, " + std::to_string(texts) +
                         ", but it is " + std::to_string(splits[count - 1]));
}

// Counts the n-grams of all rows: ends[i] are those before row i.
//   Errors: of CountOf and WidthOfShort; RESOURCE_EXHAUSTED
template <typename T>
Status CountAll(const Form& form, const IntView& splits, int64_t rows, T* ends) {
  int64_t parts = 0;
  int64_t total = 0;
  ends[0] = 0;
  // Whether there is room for this many n-grams of this width; if so they are counted.
  const auto take = [&](int64_t count, int64_t width) {
    if (count > (kMostParts - parts) / width) return false;
    parts += count * width;
    total += count;
    return true;
  };
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t size = splits[row + 1] - splits[row];
    const int64_t before = total;
    bool fits = true;
    for (const int64_t width : form.widths) {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, CountOf(form, width, size));
      fits = fits && (count <= 0 || take(count, width));
    }
    if (fits && total == before) {
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t width, WidthOfShort(form, size));
      fits = width == 0 || take(1, width);
    }
    if (!fits) return ResourceExhausted("the n-grams would have too many texts in them");
    ends[row + 1] = static_cast<T>(total);
  }
  return Status();
}

// REQUIRES: the n-grams are those that CountAll counted
void WriteAll(const Form& form, const IntView& splits, int64_t rows, const std::string* texts,
              std::string* ngram) {
  for (int64_t i = 0; i < rows; ++i) {
    const Row row{texts + splits[i], splits[i + 1] - splits[i]};
    const std::string* first = ngram;
    for (const int64_t width : form.widths) {
      const int64_t padding = form.PaddingFor(width);
      const int64_t count = row.size + 2 * padding - width + 1;
      for (int64_t k = 0; k < count; ++k) Write(form, row, k - padding, width, *ngram++);
    }
    if (ngram != first || !form.keeps_short || row.size == 0) continue;
    Write(form, row, -form.pad_width, row.size + 2 * form.pad_width, *ngram++);
  }
}

//   data: texts; data_splits: where each row begins and ends
//   ngrams: those of the first width for each row, then of the next; ngrams_splits: where the rows'
//   begin and end
template <typename T>
Status NGrams(const Form& form, KernelContext& context) {
  for (int i = 0; i < 2; ++i) {
    if (context.input(i).rank() == 1) continue;
    return InvalidArgument("texts and splits must be vectors, not of shape " +
                           DimsString(context.input(i).dims()));
  }
  const Tensor& data = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const IntView splits, IntView::Of(context.input(1)));
  const int64_t count = context.input(1).num_elements();
  TAGFLOW_RETURN_IF_ERROR(CheckSplits(splits, count, data.num_elements()));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor ends,
                           Tensor::Allocate(DTypeOf<T>::value, context.input(1).dims()));
  // As many texts as there are, if none is in a row; none is padded where there is none at all.
  int64_t ngrams = count == 0 ? data.num_elements() : 0;
  if (count > 0 && data.num_elements() > 0) {
    T* end = ends.mutable_data<T>();
    TAGFLOW_RETURN_IF_ERROR(CountAll(form, splits, count - 1, end));
    ngrams = static_cast<int64_t>(end[count - 1]);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor output, Tensor::Allocate(DType::kString, Dims{ngrams}));
  if (count > 0 && ngrams > 0) {
    WriteAll(form, splits, count - 1, data.data<std::string>(), output.mutable_data<std::string>());
  }
  context.output(0) = std::move(output);
  context.output(1) = std::move(ends);
  return Status();
}

Result<BoundKernel> BindNGrams(const Binding& binding) {
  Form form;
  TAGFLOW_ASSIGN_OR_RETURN(form.separator, StringAttr(binding.node, "separator"));
  TAGFLOW_ASSIGN_OR_RETURN(form.left_pad, StringAttr(binding.node, "left_pad"));
  TAGFLOW_ASSIGN_OR_RETURN(form.right_pad, StringAttr(binding.node, "right_pad"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList widths, ListAttr(binding.node, "ngram_widths"));
  TAGFLOW_ASSIGN_OR_RETURN(form.pad_width, IntAttr(binding.node, "pad_width"));
  TAGFLOW_ASSIGN_OR_RETURN(form.keeps_short, BoolAttr(binding.node, "preserve_short_sequences"));
  form.widths = widths.ints;
  for (const int64_t width : form.widths) {
    if (width > 0 && width <= kIntMax) continue;
    return InvalidArgument("ngram_widths must be positive int32, but one is " +
                           std::to_string(width));
  }
  if (form.pad_width > kIntMax || form.pad_width < -kIntMax - 1) {
    return InvalidArgument("pad_width must be an int32, not " + std::to_string(form.pad_width));
  }
  const bool is_narrow = binding.input_dtype(1) == DType::kInt32;
  return BoundKernel([form = std::move(form), is_narrow](KernelContext& context) {
    return is_narrow ? NGrams<int32_t>(form, context) : NGrams<int64_t>(form, context);
  });
}

}  // namespace

Status RegisterStringNGramKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"StringNGrams", BindNGrams, Cost::kHeavy}});
}

}  // namespace tagflow::optimized
