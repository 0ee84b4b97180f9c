// ParseExample and ParseExampleV2: features of examples as tensors. Each example is read once, and
// what is asked for is taken out of it; the outputs are made at the end, when their sizes are
// known.
//
// Tested by conformance/ops/parsing.ops.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/copy_elements.h"
#include "graph/saved/example.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {
namespace {

// One feature that is asked for, and what the examples have of it.
struct Column {
  std::string key;
  DType dtype = DType::kInvalid;
  std::vector<Tensor> parts = {};  // without value where an example has none
  int64_t count = 0;               // of all values
  int64_t longest = 0;             // of one example

  int64_t SizeOf(size_t example) const {
    return parts[example].has_value() ? parts[example].num_elements() : 0;
  }
};

// A dense feature's value, as its node describes it.
struct DenseShape {
  PartialShape given;
  Dims dims;             // of a value; where the first dimension is open, of a row
  int64_t size = 0;      // elements of that
  bool is_open = false;  // any number of rows
};

// What a node says.
struct Form {
  bool is_second = false;  // ParseExampleV2
  std::vector<DType> sparse;
  std::vector<DType> dense;
  std::vector<DenseShape> shapes;
  std::vector<DType> ragged;
  std::vector<DType> splits;
};

// ---- From the node ----

Result<std::vector<DType>> TypesOf(const Node& node, const char* attr) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList list, ListAttr(node, attr));
  std::vector<DType> types;
  for (const ArgType& type : list.types) types.push_back(type.dtype);
  return types;
}

Result<DenseShape> ReadShape(const PartialShape& given, size_t index) {
  const std::string name = "dense_shapes[" + std::to_string(index) + "]";
  DenseShape shape;
  shape.given = given;
  if (given.known_rank()) shape.dims = given.dims();
  shape.is_open = !shape.dims.empty() && shape.dims[0] == PartialShape::kUnknownDim;
  if (shape.is_open) shape.dims.erase(shape.dims.begin());
  if (!given.known_rank() ||
      std::ranges::find(shape.dims, PartialShape::kUnknownDim) != shape.dims.end()) {
    return InvalidArgument(name +
                           " has unknown rank or unknown inner dimensions: " + given.ToString());
  }
  TAGFLOW_ASSIGN_OR_RETURN(shape.size, NumElements(shape.dims));
  if (!shape.is_open || shape.size > 0) return shape;
  return InvalidArgument(
      name + " has rows without elements, of which any number would do: " + given.ToString());
}

Status CheckCount(const char* what, size_t keys, size_t types) {
  if (keys == types) return Status();
  return InvalidArgument(std::string("Expected len(") + what +
                         "_keys) == " + std::to_string(types) +
                         ", its number of types, but got: " + std::to_string(keys));
}

Result<Form> FormOf(const Node& node) {
  Form form;
  form.is_second = node.op == "ParseExampleV2";
  TAGFLOW_ASSIGN_OR_RETURN(form.sparse, TypesOf(node, "sparse_types"));
  TAGFLOW_ASSIGN_OR_RETURN(form.dense, TypesOf(node, "Tdense"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList shapes, ListAttr(node, "dense_shapes"));
  if (shapes.shapes.size() != form.dense.size()) {
    return InvalidArgument("len(dense_shapes) is " + std::to_string(shapes.shapes.size()) +
                           ", not that of Tdense, " + std::to_string(form.dense.size()));
  }
  for (size_t i = 0; i < shapes.shapes.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(form.shapes.emplace_back(), ReadShape(shapes.shapes[i], i));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t sparse,
                           IntAttr(node, form.is_second ? "num_sparse" : "Nsparse"));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("sparse", static_cast<size_t>(sparse), form.sparse.size()));
  if (!form.is_second) {
    TAGFLOW_ASSIGN_OR_RETURN(const int64_t dense, IntAttr(node, "Ndense"));
    TAGFLOW_RETURN_IF_ERROR(CheckCount("dense", static_cast<size_t>(dense), form.dense.size()));
    return form;
  }
  TAGFLOW_ASSIGN_OR_RETURN(form.ragged, TypesOf(node, "ragged_value_types"));
  TAGFLOW_ASSIGN_OR_RETURN(form.splits, TypesOf(node, "ragged_split_types"));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("ragged", form.splits.size(), form.ragged.size()));
  return form;
}

// ---- From the inputs ----

// A batch of examples, or one, by what is asked for.
struct Batch {
  std::vector<Column> sparse, dense, ragged;
  std::vector<Tensor> defaults;  // of the dense ones
  size_t count = 0;
  bool is_one = false;
  Tensor names;

  std::string NameOf(size_t example) const {
    return "Name: " +
           (names.num_elements() > 0 ? names.data<std::string>()[example] : "<unknown>") + ", ";
  }
};

// Columns of the keys in inputs that have one each, or in one that has all of them.
Result<std::vector<Column>> ColumnsOf(const KernelContext& context, const Form& form, int& input,
                                      const char* what, const std::vector<DType>& types) {
  std::vector<std::string> keys;
  if (form.is_second) {
    const auto texts = context.input(input++).flat<std::string>();
    keys.assign(texts.begin(), texts.end());
  } else {
    for (size_t i = 0; i < types.size(); ++i) {
      const Tensor& key = context.input(input++);
      if (key.num_elements() != 1) {
        return InvalidArgument("a key must be a scalar, but has shape " + DimsString(key.dims()));
      }
      keys.push_back(key.scalar<std::string>());
    }
  }
  TAGFLOW_RETURN_IF_ERROR(CheckCount(what, keys.size(), types.size()));
  std::vector<Column> columns;
  for (size_t i = 0; i < keys.size(); ++i) columns.push_back({keys[i], types[i]});
  return columns;
}

Status CheckDefault(const DenseShape& shape, const Tensor& otherwise, size_t index) {
  const std::string place = "[" + std::to_string(index) + "]";
  const int64_t count = otherwise.num_elements();
  if (shape.is_open && count != 1) {
    return InvalidArgument("dense_shape" + place + " is a variable length shape: " +
                           shape.given.ToString() + ", therefore def_value" + place +
                           " must contain a single element (the padding element).  But its shape "
                           "is: " +
                           DimsString(otherwise.dims()));
  }
  if (shape.is_open || count == 0 || std::ranges::equal(otherwise.dims(), shape.dims)) {
    return Status();
  }
  return InvalidArgument("def_value" + place + ".shape() == " + DimsString(otherwise.dims()) +
                         " is not compatible with dense_shapes_" + place +
                         " == " + shape.given.ToString());
}

// All but the examples themselves.
Result<Batch> BatchOf(const KernelContext& context, const Form& form) {
  const Tensor &serialized = context.input(0), &names = context.input(1);
  const int rank = serialized.rank();
  if (rank > 1 || (rank == 0 && !form.is_second)) {
    return InvalidArgument(std::string("Expected serialized to be a ") +
                           (form.is_second ? "scalar or vector" : "vector") +
                           ", got shape: " + DimsString(serialized.dims()));
  }
  if (names.num_elements() > 0 && !std::ranges::equal(names.dims(), serialized.dims())) {
    return InvalidArgument(
        "Expected names have the same shape as serialized: name.shape=" + DimsString(names.dims()) +
        ", serialized.shape=" + DimsString(serialized.dims()));
  }
  Batch batch;
  batch.names = names;
  batch.is_one = rank == 0;
  batch.count = static_cast<size_t>(serialized.num_elements());
  int input = 2;
  TAGFLOW_ASSIGN_OR_RETURN(batch.sparse, ColumnsOf(context, form, input, "sparse", form.sparse));
  TAGFLOW_ASSIGN_OR_RETURN(batch.dense, ColumnsOf(context, form, input, "dense", form.dense));
  if (form.is_second) {
    TAGFLOW_ASSIGN_OR_RETURN(batch.ragged, ColumnsOf(context, form, input, "ragged", form.ragged));
  }
  for (size_t i = 0; i < form.shapes.size(); ++i) {
    batch.defaults.push_back(context.input(input++));
    TAGFLOW_RETURN_IF_ERROR(CheckDefault(form.shapes[i], batch.defaults[i], i));
  }
  return batch;
}

Status CheckDense(const DenseShape& shape, const Tensor& otherwise, const Column& column,
                  const std::string& name) {
  const Tensor& part = column.parts.back();
  if (!part.has_value()) {
    if (shape.is_open || otherwise.num_elements() > 0) return Status();
    return InvalidArgument(name + "Feature: " + column.key + " (data type: " +
                           DTypeName(column.dtype) + ") is required but could not be found.");
  }
  const int64_t count = part.num_elements();
  if (shape.is_open ? count % shape.size == 0 : count == shape.size) return Status();
  return InvalidArgument(
      name + "Key: " + column.key + ", Index: " + std::to_string(column.parts.size() - 1) +
      ".  Number of " + DTypeName(column.dtype) + " values " +
      (shape.is_open ? "is not a multiple of stride length" : "!= expected") + ". Saw " +
      std::to_string(count) + " values but output shape is: " + shape.given.ToString());
}

// Takes out of an example what the column asks for.
Status Take(const Example& example, Column& column, const std::string& name) {
  const auto found = example.find(column.key);
  Tensor& part = column.parts.emplace_back();
  if (found == example.end()) return Status();
  part = found->second;
  if (part.dtype() != column.dtype) {
    return InvalidArgument(name + "Key: " + column.key +
                           ", Index: " + std::to_string(column.parts.size() - 1) +
                           ".  Data types don't match. Expected type: " + DTypeName(column.dtype) +
                           ", Actual type: " + DTypeName(part.dtype()));
  }
  column.count += part.num_elements();
  column.longest = std::max(column.longest, part.num_elements());
  return Status();
}

Status ReadAll(const Tensor& serialized, const Form& form, Batch& batch) {
  for (size_t i = 0; i < batch.count; ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(const Example example, ReadExample(serialized.data<std::string>()[i]));
    const std::string name = batch.NameOf(i);
    for (auto* columns : {&batch.sparse, &batch.dense, &batch.ragged}) {
      for (Column& column : *columns) TAGFLOW_RETURN_IF_ERROR(Take(example, column, name));
    }
    for (size_t d = 0; d < batch.dense.size(); ++d) {
      TAGFLOW_RETURN_IF_ERROR(CheckDense(form.shapes[d], batch.defaults[d], batch.dense[d], name));
    }
  }
  return Status();
}

// ---- Outputs ----

void Copy(const Tensor& from, Tensor& to, int64_t at) {
  CopyElements(from, 0, to, static_cast<size_t>(at), static_cast<size_t>(from.num_elements()));
}

Result<Tensor> ValuesOf(const Column& column) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(column.dtype, Dims{column.count}));
  int64_t at = 0;
  for (const Tensor& part : column.parts) {
    if (!part.has_value()) continue;
    Copy(part, values, at);
    at += part.num_elements();
  }
  return values;
}

// Of each value its example, unless there is one alone, and its place in it.
Result<Tensor> IndicesOf(const Column& column, bool is_one) {
  TAGFLOW_ASSIGN_OR_RETURN(Tensor indices,
                           Tensor::Allocate(DType::kInt64, Dims{column.count, is_one ? 1 : 2}));
  int64_t* to = indices.mutable_data<int64_t>();
  for (size_t i = 0; i < column.parts.size(); ++i) {
    for (int64_t place = 0; place < column.SizeOf(i); ++place) {
      if (!is_one) *to++ = static_cast<int64_t>(i);
      *to++ = place;
    }
  }
  return indices;
}

Tensor ShapeOf(const Column& column, bool is_one) {
  if (is_one) return Tensor::Vector<int64_t>({column.longest});
  return Tensor::Vector<int64_t>({static_cast<int64_t>(column.parts.size()), column.longest});
}

template <typename T>
Result<Tensor> SplitsOf(const Column& column, bool is_one) {
  if (is_one) return Tensor::Vector<T>({});
  if (column.count > std::numeric_limits<T>::max()) {
    return InvalidArgument("there are more values than row splits of int32 can say");
  }
  std::vector<T> splits = {0};
  for (size_t i = 0; i < column.parts.size(); ++i) {
    splits.push_back(static_cast<T>(splits.back() + static_cast<T>(column.SizeOf(i))));
  }
  return Tensor::Vector<T>(splits);
}

Result<Tensor> DenseOf(const Column& column, const DenseShape& shape, const Tensor& otherwise,
                       bool is_one) {
  Dims dims;
  if (!is_one) dims.push_back(static_cast<int64_t>(column.parts.size()));
  int64_t stride = shape.size;
  if (shape.is_open) {
    dims.push_back(column.longest / shape.size);
    stride = column.longest;
  }
  dims.insert(dims.end(), shape.dims.begin(), shape.dims.end());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(column.dtype, dims));
  int64_t at = 0;
  for (const Tensor& part : column.parts) {
    int64_t filled = 0;
    if (part.has_value()) {
      Copy(part, values, at);
      filled = part.num_elements();
    }
    // The default is all that is missing, or what fills up.
    while (filled < stride) {
      Copy(otherwise, values, at + filled);
      filled += otherwise.num_elements();
    }
    at += stride;
  }
  return values;
}

Status Parse(const Form& form, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(Batch batch, BatchOf(context, form));
  TAGFLOW_RETURN_IF_ERROR(ReadAll(context.input(0), form, batch));
  int output = 0;
  for (const Column& column : batch.sparse) {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(output++), IndicesOf(column, batch.is_one));
  }
  for (const Column& column : batch.sparse) {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(output++), ValuesOf(column));
  }
  for (const Column& column : batch.sparse) {
    context.output(output++) = ShapeOf(column, batch.is_one);
  }
  for (size_t i = 0; i < batch.dense.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(output++), DenseOf(batch.dense[i], form.shapes[i],
                                                               batch.defaults[i], batch.is_one));
  }
  for (const Column& column : batch.ragged) {
    TAGFLOW_ASSIGN_OR_RETURN(context.output(output++), ValuesOf(column));
  }
  for (size_t i = 0; i < batch.ragged.size(); ++i) {
    const auto splits = form.splits[i] == DType::kInt32 ? SplitsOf<int32_t> : SplitsOf<int64_t>;
    TAGFLOW_ASSIGN_OR_RETURN(context.output(output++), splits(batch.ragged[i], batch.is_one));
  }
  return Status();
}

Result<BoundKernel> BindParse(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(Form form, FormOf(binding.node));
  return BoundKernel(
      [form = std::move(form)](KernelContext& context) { return Parse(form, context); });
}

}  // namespace

Status RegisterParsingKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"ParseExample", BindParse}, {"ParseExampleV2", BindParse}});
}

}  // namespace tagflow::optimized
