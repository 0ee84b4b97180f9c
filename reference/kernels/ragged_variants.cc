// Ragged tensors in variants: RaggedTensorToVariant, RaggedTensorFromVariant and the gradient of
// the first.

#include <string>
#include <utility>
#include <vector>

#include "graph/held_ragged.h"
#include "graph/limits.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/families.h"
#include "reference/kernels/ragged_splits.h"

namespace tagflow::reference {
namespace {

using Numbers = std::vector<int64_t>;

// ---- To variants ----

// Rows [begin, end) of the values.
Result<Tensor> RowsOf(const Tensor& values, int64_t begin, int64_t end) {
  Dims dims = ToDims(values.dims());
  dims[0] = end - begin;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor rows, Tensor::Allocate(values.dtype(), dims));
  const int64_t size = ProductOf(dims, 1, dims.size());
  CopyElements(values, begin * size, rows, 0, rows.num_elements());
  return rows;
}

// A row of the first splits as a ragged tensor of its own: its splits begin at 0 again.
Result<Variant> RowOf(const std::vector<Numbers>& splits, const Tensor& values, DType splits_dtype,
                      size_t row) {
  std::vector<Tensor> tensors;
  auto begin = static_cast<size_t>(splits[0][row]), end = static_cast<size_t>(splits[0][row + 1]);
  for (size_t level = 1; level < splits.size(); ++level) {
    const Numbers& all = splits[level];
    Numbers own;
    for (size_t i = begin; i <= end; ++i) own.push_back(all[i] - all[begin]);
    TAGFLOW_ASSIGN_OR_RETURN(tensors.emplace_back(),
                             IndexTensor(splits_dtype, Dims{std::ssize(own)}, own));
    begin = static_cast<size_t>(all[begin]);
    end = static_cast<size_t>(all[end]);
  }
  TAGFLOW_ASSIGN_OR_RETURN(tensors.emplace_back(),
                           RowsOf(values, static_cast<int64_t>(begin), static_cast<int64_t>(end)));
  return HeldRagged::Wrap(std::move(tensors));
}

// How many rows there are; INVALID_ARGUMENT for values without rows.
//   Errors: RESOURCE_EXHAUSTED where the tensors of all rows are too many
Result<int64_t> CountRows(const std::vector<Numbers>& splits, const Tensor& values) {
  if (values.rank() == 0) return InvalidArgument("a scalar has no rows to make a batch of");
  const int64_t rows = splits.empty() ? values.dim(0) : std::ssize(splits[0]) - 1;
  if (rows <= kMostListElements / (std::ssize(splits) + 1)) return rows;
  return ResourceExhausted(std::to_string(rows) + " rows of " + std::to_string(splits.size()) +
                           " splits are refused: " + std::to_string(kMostListElements) +
                           " tensors at most are put into variants at a time");
}

//   rt_nested_splits: of several dimensions, or none;  rt_dense_values: [n, ...]
//   encoded_ragged: of a batch [rows], else a scalar
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status ToVariant(KernelContext& context) {
  const size_t count = context.inputs.size() - 1;
  const Tensor& values = context.inputs[count];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, values.dtype(), kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const bool batched, BoolAttr(context.node, "batched_input"));
  std::vector<Numbers> splits;
  if (count > 0) {
    TAGFLOW_ASSIGN_OR_RETURN(splits, ExactSplitsOf(context, count));
  }
  if (!batched) {
    context.outputs[0] = Tensor::Scalar(HeldRagged::Wrap(context.inputs));
    return Status();
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t rows, CountRows(splits, values));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor encoded, Tensor::Allocate(DType::kVariant, Dims{rows}));
  for (int64_t row = 0; row < rows; ++row) {
    Variant& variant = encoded.mutable_data<Variant>()[row];
    if (count > 0) {
      TAGFLOW_ASSIGN_OR_RETURN(
          variant, RowOf(splits, values, context.inputs[0].dtype(), static_cast<size_t>(row)));
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(const Tensor one, RowsOf(values, row, row + 1));
      variant = HeldRagged::Wrap({one.Reshaped(WithoutDim(values.dims(), 0))});
    }
  }
  context.outputs[0] = std::move(encoded);
  return Status();
}

// ---- From variants ----

// The ragged ranks that the node asks for, with variants of that rank.
struct Ranks {
  int64_t in, out;
};
Result<Ranks> RanksOf(const KernelContext& context) {
  const int64_t rank = context.inputs[0].rank();
  TAGFLOW_ASSIGN_OR_RETURN(int64_t in, IntAttr(context.node, "input_ragged_rank"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t out, IntAttr(context.node, "output_ragged_rank"));
  if (in == -1) in = out == 0 ? 0 : out - rank;
  const bool is_stack = in == 0 && out == 0;
  if (in >= 0 && (is_stack || out == in + rank)) return Ranks{in, out};
  return InvalidArgument(
      "output_ragged_rank must be input_ragged_rank and the rank of "
      "encoded_ragged together, but is " +
      std::to_string(out) + ", with " + std::to_string(in) + " and " + std::to_string(rank));
}

// The ragged tensor in element i, checked as far as it is read.
//   Errors: INVALID_ARGUMENT
Result<const HeldRagged*> RaggedAt(const KernelContext& context, int64_t i, Ranks ranks) {
  const auto wrong = [i](const std::string& what) {
    return InvalidArgument("element " + std::to_string(i) + " of encoded_ragged " + what);
  };
  const Variant& variant = context.inputs[0].data<Variant>()[i];
  const auto* ragged = variant.Get<HeldRagged>();
  if (ragged == nullptr) {
    return wrong("holds no ragged tensor, but " +
                 (variant.empty() ? "nothing" : variant.value()->DebugString()));
  }
  if (static_cast<int64_t>(ragged->ragged_rank()) != ranks.in) {
    return wrong("has ragged rank " + std::to_string(ragged->ragged_rank()) + ", and not " +
                 std::to_string(ranks.in));
  }
  const DType dtype = context.signature.outputs.back().dtype;
  if (ragged->values().dtype() != dtype) {
    return wrong("has values of dtype " + DTypeName(ragged->values().dtype()) +
                 ", but Tvalues is " + DTypeName(dtype));
  }
  if (ranks.out > 0 && ragged->values().rank() == 0) return wrong("has a scalar as its values");
  for (size_t level = 0; level < ragged->ragged_rank(); ++level) {
    const Tensor& splits = ragged->splits(level);
    const DType splits_dtype = context.signature.outputs[0].dtype;
    if (splits.dtype() != splits_dtype) {
      return wrong("has splits of dtype " + DTypeName(splits.dtype()) + ", but Tsplits is " +
                   DTypeName(splits_dtype));
    }
    const Status status = ReadSplits(splits).status();
    if (!status.ok()) return wrong("is no ragged tensor: " + status.message());
  }
  return ragged;
}

using Parts = std::vector<const HeldRagged*>;

// Tensors of one shape as the rows of one.
Result<Tensor> Stacked(const Parts& parts, DType dtype) {
  if (parts.empty()) return Tensor::Allocate(dtype, Dims{0});
  Dims dims = ToDims(parts[0]->values().dims());
  dims.insert(dims.begin(), std::ssize(parts));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor stacked, Tensor::Allocate(dtype, dims));
  const int64_t size = parts[0]->values().num_elements();
  for (size_t i = 0; i < parts.size(); ++i) {
    const Tensor& values = parts[i]->values();
    if (ToDims(values.dims()) != ToDims(parts[0]->values().dims())) {
      return InvalidArgument("tensors of shapes " + DimsString(parts[0]->values().dims()) +
                             " and " + DimsString(values.dims()) + " cannot be stacked");
    }
    CopyElements(values, 0, stacked, static_cast<int64_t>(i) * size, size);
  }
  return stacked;
}

// The rows of all values, one after the other.
Result<Tensor> Joined(const Parts& parts, DType dtype) {
  if (parts.empty()) return Tensor::Allocate(dtype, Dims{0});
  const Dims inside = WithoutDim(parts[0]->values().dims(), 0);
  Dims dims = ToDims(parts[0]->values().dims());
  dims[0] = 0;
  for (const HeldRagged* part : parts) {
    if (WithoutDim(part->values().dims(), 0) != inside) {
      return InvalidArgument("values of shapes " + DimsString(parts[0]->values().dims()) + " and " +
                             DimsString(part->values().dims()) + " cannot be joined");
    }
    if (__builtin_add_overflow(dims[0], part->values().dim(0), &dims[0])) {
      return ResourceExhausted("there are more rows than an int64 can count");
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, dims));
  int64_t at = 0;
  for (const HeldRagged* part : parts) {
    CopyElements(part->values(), 0, joined, at, part->values().num_elements());
    at += part->values().num_elements();
  }
  return joined;
}

// Appends, behind a 0, each number of `own` but the first, counted from the end of what is there.
//   Errors: INVALID_ARGUMENT
Status Append(const Numbers& own, Numbers& splits) {
  const int64_t begin = splits.back();
  for (size_t i = 1; i < own.size(); ++i) {
    int64_t number = 0;
    if (__builtin_add_overflow(begin, own[i], &number)) {
      return InvalidArgument("the splits count more than an int64 can");
    }
    splits.push_back(number);
  }
  return Status();
}

// The splits of the dimensions of the variants but for the last: all rows are as long.
Status SplitEvenly(KernelContext& context) {
  const DimsView dims = context.inputs[0].dims();
  for (size_t level = 0; level + 1 < dims.size(); ++level) {
    // The last split is as large; then none overflows.
    TAGFLOW_RETURN_IF_ERROR(NumElements(dims.first(level + 2)).status());
    const int64_t rows = ProductOf(dims, 0, level + 1);
    const DType dtype = context.signature.outputs[level].dtype;
    TAGFLOW_RETURN_IF_ERROR(Tensor::Allocate(dtype, Dims{rows}).status());  // is there room?
    Numbers splits;
    for (int64_t row = 0; row <= rows; ++row) splits.push_back(row * dims[level + 1]);
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[level],
                             IndexTensor(dtype, Dims{std::ssize(splits)}, splits));
  }
  return Status();
}

// The splits of the last dimension of the variants, and of what is in them.
Status SplitByParts(KernelContext& context, const Parts& parts, Ranks ranks) {
  std::vector<Numbers> levels(static_cast<size_t>(ranks.in) + 1, Numbers{0});
  for (const HeldRagged* part : parts) {
    const int64_t rows = ranks.in > 0 ? part->splits(0).num_elements() - 1 : part->values().dim(0);
    TAGFLOW_RETURN_IF_ERROR(Append({0, rows}, levels[0]));
    for (size_t level = 0; level < part->ragged_rank(); ++level) {
      TAGFLOW_ASSIGN_OR_RETURN(const Numbers own, ReadSplits(part->splits(level)));
      TAGFLOW_RETURN_IF_ERROR(Append(own, levels[level + 1]));
    }
  }
  const size_t first = context.inputs[0].dims().size() - 1;
  for (size_t i = 0; i < levels.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[first + i],
                             IndexTensor(context.signature.outputs[first + i].dtype,
                                         Dims{std::ssize(levels[i])}, levels[i]));
  }
  return Status();
}

//   encoded_ragged: of any rank; of a scalar what is in it
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status FromVariant(KernelContext& context) {
  const Tensor& encoded = context.inputs[0];
  const DType dtype = context.signature.outputs.back().dtype;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kValues));
  TAGFLOW_ASSIGN_OR_RETURN(const Ranks ranks, RanksOf(context));
  Parts parts;
  for (int64_t i = 0; i < encoded.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(parts.emplace_back(), RaggedAt(context, i, ranks));
  }
  if (encoded.rank() == 0) {
    context.outputs = parts[0]->tensors();
    return Status();
  }
  if (ranks.out == 0) {
    TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Stacked(parts, dtype));
    return Status();
  }
  TAGFLOW_RETURN_IF_ERROR(SplitEvenly(context));
  TAGFLOW_RETURN_IF_ERROR(SplitByParts(context, parts, ranks));
  TAGFLOW_ASSIGN_OR_RETURN(context.outputs.back(), Joined(parts, dtype));
  return Status();
}

// ---- The gradient ----

// How many elements the piece of variant i, which is missing, has.
//   Errors: INVALID_ARGUMENT
Result<int64_t> MissingElements(const KernelContext& context, int64_t i, const Dims& dims) {
  const Tensor& splits = context.inputs[1];
  if (splits.rank() == 0 && context.inputs[0].num_elements() == 1) return NumElements(dims);
  if (dims.empty()) return InvalidArgument("a scalar has no rows: dense_values_shape is empty");
  Dims piece = dims;
  piece[0] = 1;
  if (splits.rank() == 0) return NumElements(piece);
  TAGFLOW_ASSIGN_OR_RETURN(const Numbers numbers, IndexValues(splits));
  if (i + 1 >= std::ssize(numbers)) {
    return InvalidArgument("row_splits has no row " + std::to_string(i) +
                           ", of which encoded_ragged_grad holds nothing");
  }
  const auto row = static_cast<size_t>(i);
  piece[0] = numbers[row + 1] - numbers[row];
  return NumElements(piece);
}

// How many elements each piece has, all in all as many as dims say.
//   Errors: INVALID_ARGUMENT
Result<Numbers> PieceSizes(const KernelContext& context, const Dims& dims) {
  const Tensor& encoded = context.inputs[0];
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_ASSIGN_OR_RETURN(int64_t left, NumElements(dims));
  Numbers sizes;
  for (int64_t i = 0; i < encoded.num_elements(); ++i) {
    const auto* piece = encoded.data<Variant>()[i].Get<HeldRagged>();
    if (piece == nullptr) {
      TAGFLOW_ASSIGN_OR_RETURN(sizes.emplace_back(), MissingElements(context, i, dims));
    } else if (piece->values().dtype() == dtype) {
      sizes.push_back(piece->values().num_elements());
    } else {
      return InvalidArgument("a gradient is of dtype " + DTypeName(piece->values().dtype()) +
                             ", but Tvalues is " + DTypeName(dtype));
    }
    left -= sizes.back();
    if (left < 0) break;
  }
  if (left == 0) return sizes;
  return InvalidArgument("there are not as many gradients as " + DimsString(dims) +
                         " has elements");
}

//   encoded_ragged_grad: variants, empty ones for zeros;  row_splits: how the values were split, or
//   a scalar where they were not;  dense_values_shape: of the output
//   Errors: UNIMPLEMENTED (dtype), INVALID_ARGUMENT, RESOURCE_EXHAUSTED
Status ToVariantGradient(KernelContext& context) {
  const Tensor& encoded = context.inputs[0];
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, dtype, kValues));
  if (context.inputs[2].rank() != 1) {
    return InvalidArgument("dense_values_shape must be a vector, but has shape " +
                           DimsString(context.inputs[2].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, IndexValues(context.inputs[2]));
  if (context.inputs[1].rank() > 0) {
    TAGFLOW_ASSIGN_OR_RETURN(const Numbers splits, ReadSplits(context.inputs[1]));
    if (splits[0] != 0) return InvalidArgument("row_splits must begin with 0");
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Numbers sizes, PieceSizes(context, dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, dims));
  int64_t at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto* piece = encoded.data<Variant>()[i].Get<HeldRagged>();
    if (piece != nullptr) CopyElements(piece->values(), 0, joined, at, sizes[i]);
    at += sizes[i];
  }
  context.outputs[0] = std::move(joined);
  return Status();
}

}  // namespace

Status RegisterRaggedVariantKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"RaggedTensorToVariant", ToVariant},
                                {"RaggedTensorFromVariant", FromVariant},
                                {"RaggedTensorToVariantGradient", ToVariantGradient}});
}

}  // namespace tagflow::reference
