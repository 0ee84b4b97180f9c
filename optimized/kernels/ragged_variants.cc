// Ragged tensors in variants: RaggedTensorToVariant, RaggedTensorFromVariant and the gradient of
// the first. Rows that become variants share the memory of the whole.
//
// Tested by conformance/ops/ragged.ops.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/held_ragged.h"
#include "graph/limits.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/lists.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/ragged_splits.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

constexpr DTypeSet kValues = kNumbers | SetOf(DType::kBool, DType::kString);

// ---- To variants ----

// Splits [begin, end] of a row, which begin at 0 again. REQUIRES: splits of dtype T
template <typename T>
Result<Tensor> OwnSplits(const Tensor& splits, int64_t begin, int64_t end) {
  const T* from = splits.data<T>() + begin;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor own,
                           Tensor::AllocateUninitialized(splits.dtype(), Dims{end - begin + 1}));
  std::transform(from, from + own.num_elements(), own.mutable_data<T>(),
                 [first = *from](T split) { return split - first; });
  return own;
}

// Row `row` of the first splits as a ragged tensor of its own.
Result<Variant> RowVariant(const KernelContext& context, const std::vector<IntView>& splits,
                           int64_t row) {
  const int count = static_cast<int>(splits.size());
  std::vector<Tensor> tensors(splits.size());
  int64_t begin = splits[0][row], end = splits[0][row + 1];
  for (int level = 1; level < count; ++level) {
    const Tensor& all = context.input(level);
    TAGFLOW_ASSIGN_OR_RETURN(tensors[static_cast<size_t>(level) - 1],
                             all.dtype() == DType::kInt32 ? OwnSplits<int32_t>(all, begin, end)
                                                          : OwnSplits<int64_t>(all, begin, end));
    begin = splits[static_cast<size_t>(level)][begin];
    end = splits[static_cast<size_t>(level)][end];
  }
  tensors.back() = context.input(count).SliceOuter(begin, end - begin);
  return HeldRagged::Wrap(std::move(tensors));
}

//   Errors: RESOURCE_EXHAUSTED where the tensors of all rows are too many
Status CheckCount(int64_t rows, int splits) {
  if (rows <= kMostListElements / (splits + 1)) return Status();
  return ResourceExhausted(std::to_string(rows) + " rows of " + std::to_string(splits) +
                           " splits are refused: " + std::to_string(kMostListElements) +
                           " tensors at most are put into variants at a time");
}

//   rt_nested_splits: none or several;  rt_dense_values: [n, ...];  encoded_ragged: [rows]
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status ToVariants(KernelContext& context) {
  const int count = context.num_inputs() - 1;
  const Tensor& values = context.input(count);
  if (values.rank() == 0) return InvalidArgument("a scalar has no rows to make a batch of");
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<IntView> splits, ExactSplitsOf(context, count));
  const int64_t rows = count == 0 ? values.dim(0) : splits[0].size() - 1;
  TAGFLOW_RETURN_IF_ERROR(CheckCount(rows, count));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor encoded, Tensor::Allocate(DType::kVariant, Dims{rows}));
  for (int64_t row = 0; row < rows; ++row) {
    Variant& variant = encoded.mutable_data<Variant>()[row];
    if (count == 0) {
      variant = HeldRagged::Wrap({RowOf(values, row)});
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(variant, RowVariant(context, splits, row));
    }
  }
  context.output(0) = std::move(encoded);
  return Status();
}

//   The whole as one variant.   Errors: INVALID_ARGUMENT
Status ToVariant(KernelContext& context) {
  const int count = context.num_inputs() - 1;
  if (count > 0) TAGFLOW_RETURN_IF_ERROR(ExactSplitsOf(context, count).status());
  std::vector<Tensor> tensors;
  for (int i = 0; i <= count; ++i) tensors.push_back(context.Take(i));
  context.output(0) = Tensor::Scalar(HeldRagged::Wrap(std::move(tensors)));
  return Status();
}

Result<BoundKernel> BindToVariant(const Binding& binding) {
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(binding, binding.input_dtype(binding.signature.inputs.size() - 1), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const bool batched, BoolAttr(binding.node, "batched_input"));
  return batched ? Bind<ToVariants>(binding) : Bind<ToVariant>(binding);
}

// ---- From variants ----

// The ragged ranks and dtypes that a node asks of the tensors it reads.
struct ReadRule {
  int64_t in, out;  // ragged ranks; `in` is -1 where it is what is left of `out`
  DType values, splits;
};

// The ragged rank of what variants of that rank hold.
//   Errors: INVALID_ARGUMENT
Result<int64_t> RaggedRankOf(const ReadRule& rule, int64_t rank) {
  const int64_t in = rule.in >= 0 ? rule.in : rule.out == 0 ? 0 : rule.out - rank;
  if (in >= 0 && (rule.out == in + rank || (rule.out == 0 && in == 0))) return in;
  return InvalidArgument(
      "output_ragged_rank must be input_ragged_rank and the rank of "
      "encoded_ragged together, but is " +
      std::to_string(rule.out) + ", with " + std::to_string(in) + " and " + std::to_string(rank));
}

// What is wrong with a ragged tensor; nothing where it can be read.
std::string Complaint(const HeldRagged& ragged, const ReadRule& rule, int64_t ragged_rank) {
  if (static_cast<int64_t>(ragged.ragged_rank()) != ragged_rank) {
    return "has ragged rank " + std::to_string(ragged.ragged_rank()) + ", and not " +
           std::to_string(ragged_rank);
  }
  const Tensor& values = ragged.values();
  if (values.dtype() != rule.values) {
    return "has values of dtype " + DTypeName(values.dtype()) + ", but Tvalues is " +
           DTypeName(rule.values);
  }
  if (rule.out > 0 && values.rank() == 0) return "has a scalar as its values";
  for (size_t level = 0; level < ragged.ragged_rank(); ++level) {
    const Tensor& splits = ragged.splits(level);
    if (splits.dtype() != rule.splits) {
      return "has splits of dtype " + DTypeName(splits.dtype()) + ", but Tsplits is " +
             DTypeName(rule.splits);
    }
    const Status status = ReadSplits(splits).status();
    if (!status.ok()) return "is no ragged tensor: " + status.message();
  }
  return "";
}

using Parts = std::vector<const HeldRagged*>;

//   Errors: INVALID_ARGUMENT
Result<Parts> PartsOf(const Tensor& encoded, const ReadRule& rule, int64_t ragged_rank) {
  Parts parts;
  for (const Variant& variant : encoded.flat<Variant>()) {
    const std::string which = "element " + std::to_string(parts.size()) + " of encoded_ragged ";
    const auto* ragged = variant.Get<HeldRagged>();
    if (ragged == nullptr) {
      return InvalidArgument(which + "holds no ragged tensor, but " +
                             (variant.empty() ? "nothing" : variant.value()->DebugString()));
    }
    const std::string complaint = Complaint(*ragged, rule, ragged_rank);
    if (!complaint.empty()) return InvalidArgument(which + complaint);
    parts.push_back(ragged);
  }
  return parts;
}

// All values one after the other in a tensor of these dims. REQUIRES: as many elements
Status JoinValues(KernelContext& context, int output, const Parts& parts, DType dtype,
                  DimsView dims) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * joined, context.Allocate(output, dtype, dims));
  const Mover& mover = MoverOf(dtype);
  void* to = joined->mutable_raw_data();
  for (const HeldRagged* part : parts) {
    const int64_t count = part->values().num_elements();
    if (count > 0) mover.run(part->values().raw_data(), to, count);
    to = mover.At(to, count);
  }
  return Status();
}

// OK for values whose dimensions from `first_alike` on are the same.
//   Errors: INVALID_ARGUMENT
Status CheckAlike(const Parts& parts, size_t first_alike, const char* done) {
  const DimsView dims = parts[0]->values().dims();
  for (const HeldRagged* part : parts) {
    const DimsView other = part->values().dims();
    if (other.size() == dims.size() &&
        std::ranges::equal(other.subspan(first_alike), dims.subspan(first_alike))) {
      continue;
    }
    return InvalidArgument("values of shapes " + DimsString(dims) + " and " + DimsString(other) +
                           " cannot be " + done);
  }
  return Status();
}

// Tensors of one shape as the rows of one, which is output 0.
Status Stack(KernelContext& context, const Parts& parts, DType dtype) {
  if (parts.empty()) return JoinValues(context, 0, parts, dtype, Dims{0});
  TAGFLOW_RETURN_IF_ERROR(CheckAlike(parts, 0, "stacked"));
  const DimsView each = parts[0]->values().dims();
  Dims dims(each.begin(), each.end());
  dims.insert(dims.begin(), std::ssize(parts));
  return JoinValues(context, 0, parts, dtype, dims);
}

// The rows of all values, one after the other.
Status Join(KernelContext& context, int output, const Parts& parts, DType dtype) {
  if (parts.empty()) return JoinValues(context, output, parts, dtype, Dims{0});
  TAGFLOW_RETURN_IF_ERROR(CheckAlike(parts, 1, "joined"));
  const DimsView each = parts[0]->values().dims();
  Dims dims(each.begin(), each.end());
  dims[0] = 0;
  for (const HeldRagged* part : parts) {
    if (__builtin_add_overflow(dims[0], part->values().dim(0), &dims[0])) {
      return ResourceExhausted("there are more rows than an int64 can count");
    }
  }
  return JoinValues(context, output, parts, dtype, dims);
}

// Writes splits of dtype T into an output, one behind the other.
template <typename T>
class SplitsWriter {
 public:
  static Result<SplitsWriter> Of(KernelContext& context, int output, int64_t rows) {
    TAGFLOW_ASSIGN_OR_RETURN(Tensor * splits,
                             context.Allocate(output, DTypeOf<T>::value, Dims{rows + 1}));
    T* const to = splits->mutable_data<T>();
    *to = 0;
    return SplitsWriter(to + 1);
  }

  // A row that ends at `end`, counted from 0.   Errors: INVALID_ARGUMENT
  Status Put(int64_t end) {
    if (end > std::numeric_limits<T>::max()) {
      return InvalidArgument(std::to_string(end) + " does not fit into " +
                             DTypeName(DTypeOf<T>::value));
    }
    *to_++ = static_cast<T>(end);
    return Status();
  }

 private:
  explicit SplitsWriter(T* to) : to_(to) {}
  T* to_;
};

// The splits of the dimensions of the variants but for the last: all rows are as long.
template <typename T>
Status SplitEvenly(KernelContext& context, DimsView dims) {
  for (size_t level = 0; level + 1 < dims.size(); ++level) {
    // The last split is as large; then none overflows.
    TAGFLOW_RETURN_IF_ERROR(NumElements(dims.first(level + 2)).status());
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, NumElements(dims.first(level + 1)));
    TAGFLOW_ASSIGN_OR_RETURN(auto writer,
                             SplitsWriter<T>::Of(context, static_cast<int>(level), rows));
    for (int64_t row = 1; row <= rows; ++row) {
      TAGFLOW_RETURN_IF_ERROR(writer.Put(row * dims[level + 1]));
    }
  }
  return Status();
}

Status Overflow() { return InvalidArgument("the splits count more than an int64 can"); }

// How many rows each part has.
template <typename T>
Status SplitByCounts(KernelContext& context, int output, const Parts& parts) {
  TAGFLOW_ASSIGN_OR_RETURN(auto writer, SplitsWriter<T>::Of(context, output, std::ssize(parts)));
  int64_t end = 0;
  for (const HeldRagged* part : parts) {
    const int64_t rows =
        part->ragged_rank() > 0 ? part->splits(0).num_elements() - 1 : part->values().dim(0);
    if (__builtin_add_overflow(end, rows, &end)) return Overflow();
    TAGFLOW_RETURN_IF_ERROR(writer.Put(end));
  }
  return Status();
}

// The splits that the parts have at this level, one behind the other.
template <typename T>
Status JoinSplits(KernelContext& context, int output, const Parts& parts, size_t level) {
  int64_t rows = 0;
  for (const HeldRagged* part : parts) rows += part->splits(level).num_elements() - 1;
  TAGFLOW_ASSIGN_OR_RETURN(auto writer, SplitsWriter<T>::Of(context, output, rows));
  int64_t begin = 0;
  for (const HeldRagged* part : parts) {
    int64_t end = begin;
    for (const T own : part->splits(level).template flat<T>().subspan(1)) {
      if (__builtin_add_overflow(begin, int64_t{own}, &end)) return Overflow();
      TAGFLOW_RETURN_IF_ERROR(writer.Put(end));
    }
    begin = end;
  }
  return Status();
}

template <typename T>
Status Split(KernelContext& context, const Parts& parts, int64_t ragged_rank) {
  const DimsView dims = context.input(0).dims();
  TAGFLOW_RETURN_IF_ERROR(SplitEvenly<T>(context, dims));
  const int first = static_cast<int>(dims.size()) - 1;
  TAGFLOW_RETURN_IF_ERROR(SplitByCounts<T>(context, first, parts));
  for (int level = 0; level < static_cast<int>(ragged_rank); ++level) {
    TAGFLOW_RETURN_IF_ERROR(
        JoinSplits<T>(context, first + 1 + level, parts, static_cast<size_t>(level)));
  }
  return Status();
}

//   encoded_ragged: of any rank; of a scalar what is in it
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status FromVariant(const ReadRule& rule, KernelContext& context) {
  const Tensor encoded = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t ragged_rank, RaggedRankOf(rule, encoded.rank()));
  TAGFLOW_ASSIGN_OR_RETURN(const Parts parts, PartsOf(encoded, rule, ragged_rank));
  if (encoded.rank() == 0) {
    int output = 0;
    for (const Tensor& tensor : parts[0]->tensors()) context.output(output++) = tensor;
    return Status();
  }
  if (rule.out == 0) return Stack(context, parts, rule.values);
  TAGFLOW_RETURN_IF_ERROR(rule.splits == DType::kInt32
                              ? Split<int32_t>(context, parts, ragged_rank)
                              : Split<int64_t>(context, parts, ragged_rank));
  return Join(context, static_cast<int>(rule.out), parts, rule.values);
}

Result<BoundKernel> BindFromVariant(const Binding& binding) {
  const size_t outputs = binding.signature.outputs.size();
  ReadRule rule = {.in = 0,
                   .out = static_cast<int64_t>(outputs) - 1,
                   .values = binding.output_dtype(outputs - 1),
                   .splits = binding.output_dtype(0)};
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, rule.values, kValues));
  TAGFLOW_ASSIGN_OR_RETURN(rule.in, IntAttr(binding.node, "input_ragged_rank"));
  return BoundKernel([rule](KernelContext& context) { return FromVariant(rule, context); });
}

// ---- The gradient ----

// Where in the values the rows are that encoded_ragged_grad may lack.
struct Lacks {
  const Tensor& splits;  // a scalar: each row is one of the values, or the only one all of them
  DimsView dims;         // of the values
  int64_t rows;

  // How many elements row i has.   Errors: INVALID_ARGUMENT
  Result<int64_t> ElementsOf(int64_t i) const {
    if (splits.rank() == 0 && rows == 1) return NumElements(dims);
    if (dims.empty()) return InvalidArgument("a scalar has no rows: dense_values_shape is empty");
    Dims row(dims.begin(), dims.end());
    row[0] = 1;
    if (splits.rank() == 0) return NumElements(row);
    TAGFLOW_ASSIGN_OR_RETURN(const IntView numbers, IntView::Of(splits));
    if (i + 1 >= numbers.size()) {
      return InvalidArgument("row_splits has no row " + std::to_string(i) +
                             ", of which encoded_ragged_grad holds nothing");
    }
    row[0] = numbers[i + 1] - numbers[i];
    return NumElements(row);
  }
};

// How many elements each gradient has, all in all as many as there are places.
//   Errors: INVALID_ARGUMENT
Result<std::vector<int64_t>> CountGradients(const Tensor& encoded, DType dtype,
                                            const Lacks& lacks) {
  TAGFLOW_ASSIGN_OR_RETURN(int64_t left, NumElements(lacks.dims));
  std::vector<int64_t> counts;
  for (const Variant& variant : encoded.flat<Variant>()) {
    const auto* piece = variant.Get<HeldRagged>();
    int64_t count = 0;
    if (piece == nullptr) {
      TAGFLOW_ASSIGN_OR_RETURN(count, lacks.ElementsOf(std::ssize(counts)));
    } else if (piece->values().dtype() != dtype) {
      return InvalidArgument("a gradient is of dtype " + DTypeName(piece->values().dtype()) +
                             ", but Tvalues is " + DTypeName(dtype));
    } else {
      count = piece->values().num_elements();
    }
    counts.push_back(count);
    left -= count;
    if (left < 0) break;
  }
  if (left == 0) return counts;
  return InvalidArgument("there are not as many gradients as " + DimsString(lacks.dims) +
                         " has elements");
}

// The gradients one behind the other, zeros for those that are not there.
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Result<Tensor> JoinGradients(const Tensor& encoded, DType dtype, const Lacks& lacks) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<int64_t> counts,
                           CountGradients(encoded, dtype, lacks));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, lacks.dims));
  const Mover& mover = MoverOf(dtype);
  void* to = joined.mutable_raw_data();
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto* piece = encoded.data<Variant>()[i].Get<HeldRagged>();
    if (piece != nullptr && counts[i] > 0) mover.run(piece->values().raw_data(), to, counts[i]);
    to = mover.At(to, counts[i]);
  }
  return joined;
}

// Whether one variant holds all there is, as it is.
const HeldRagged* TheOnly(const Tensor& encoded, DType dtype, DimsView dims) {
  if (encoded.num_elements() != 1) return nullptr;
  const auto* ragged = encoded.data<Variant>()->Get<HeldRagged>();
  const bool fits = ragged != nullptr && ragged->values().dtype() == dtype &&
                    std::ranges::equal(ragged->values().dims(), dims);
  return fits ? ragged : nullptr;
}

//   encoded_ragged_grad: variants, empty ones for zeros;  row_splits: how the values were split, or
//   a scalar where they were not;  dense_values_shape: of the output
//   Errors: INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status ToVariantGradient(KernelContext& context, DType dtype) {
  const Tensor& encoded = context.input(0);
  const Tensor& splits = context.input(1);
  const Tensor& shape = context.input(2);
  if (shape.rank() != 1) {
    return InvalidArgument("dense_values_shape must be a vector, but has shape " +
                           DimsString(shape.dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const IntView dims_view, IntView::Of(shape));
  const Dims dims = dims_view.values();
  TAGFLOW_RETURN_IF_ERROR(NumElements(dims).status());
  if (splits.rank() > 0) {
    TAGFLOW_ASSIGN_OR_RETURN(const IntView numbers, ReadSplits(splits));
    if (numbers[0] != 0) return InvalidArgument("row_splits must begin with 0");
  }
  if (const HeldRagged* only = TheOnly(encoded, dtype, dims)) {
    context.output(0) = only->values();
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(context.output(0),
                           JoinGradients(encoded, dtype, {splits, dims, encoded.num_elements()}));
  return Status();
}

Result<BoundKernel> BindToVariantGradient(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, kValues));
  return BoundKernel([dtype](KernelContext& context) { return ToVariantGradient(context, dtype); });
}

}  // namespace

Status RegisterRaggedVariantKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RaggedTensorToVariant", BindToVariant},
                                {"RaggedTensorFromVariant", BindFromVariant},
                                {"RaggedTensorToVariantGradient", BindToVariantGradient}});
}

}  // namespace tagflow::optimized
