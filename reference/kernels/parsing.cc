// DecodeRaw, ParseExample and ParseExampleV2: tensors of the bytes that training data is written
// as.
//
// Tested by conformance/ops/parsing.ops.

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/saved/example.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

// ---- DecodeRaw ----

// That all have the length of the first, which is some numbers long.
Status CheckLengths(const Tensor& texts, size_t size, DType dtype) {
  const size_t length = texts.data<std::string>()[0].size();
  for (int64_t i = 0; i < texts.num_elements(); ++i) {
    const size_t other = texts.data<std::string>()[i].size();
    if (other == length) continue;
    return InvalidArgument(
        "DecodeRaw requires input strings to all be the same size, but element " +
        std::to_string(i) + " has size " + std::to_string(other) + ", not " +
        std::to_string(length));
  }
  if (length % size == 0) return Status();
  return InvalidArgument("Input to DecodeRaw has length " + std::to_string(length) +
                         " that is not a multiple of " + std::to_string(size) + ", the size of " +
                         DTypeName(dtype));
}

//   bytes: texts of one length; output: dims of bytes, and behind them the numbers of each text
Status DecodeRaw(KernelContext& context) {
  const Tensor& texts = context.inputs[0];
  const DType dtype = context.signature.outputs[0].dtype;
  TAGFLOW_ASSIGN_OR_RETURN(const bool little_endian, BoolAttr(context.node, "little_endian"));
  const size_t size = DTypeSize(dtype);
  Dims dims = ToDims(texts.dims());
  dims.push_back(0);
  if (texts.num_elements() > 0) {
    TAGFLOW_RETURN_IF_ERROR(CheckLengths(texts, size, dtype));
    dims.back() = static_cast<int64_t>(texts.data<std::string>()[0].size() / size);
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor numbers, Tensor::Allocate(dtype, dims));
  auto* to = static_cast<char*>(numbers.mutable_raw_data());
  // A complex number is two numbers, each with an order of its own.
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  const size_t part = is_complex ? size / 2 : size;
  for (int64_t i = 0; dims.back() > 0 && i < texts.num_elements(); ++i) {
    std::string bytes = texts.data<std::string>()[i];
    for (size_t at = 0; !little_endian && at < bytes.size(); at += part) {
      std::reverse(bytes.data() + at, bytes.data() + at + part);
    }
    if (dtype == DType::kBool) {
      for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
    }
    std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
  context.outputs[0] = std::move(numbers);
  return Status();
}

// ---- Examples ----

struct Examples {
  std::vector<Example> all;
  std::vector<std::string> names;  // for errors
  bool is_one = false;             // alone, not in a vector
};

Result<Examples> ReadExamples(const Tensor& serialized, const Tensor& names) {
  if (names.num_elements() > 0 && !std::ranges::equal(names.dims(), serialized.dims())) {
    return InvalidArgument(
        "Expected names have the same shape as serialized: name.shape=" + DimsString(names.dims()) +
        ", serialized.shape=" + DimsString(serialized.dims()));
  }
  Examples examples;
  examples.is_one = serialized.rank() == 0;
  for (int64_t i = 0; i < serialized.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(examples.all.emplace_back(),
                             ReadExample(serialized.data<std::string>()[i]));
    examples.names.push_back(names.num_elements() > 0 ? names.data<std::string>()[i] : "<unknown>");
  }
  return examples;
}

// The values of a feature in each example; null where it has none.
using Feature = std::vector<const Tensor*>;

Result<Feature> FeatureOf(const Examples& examples, const std::string& key, DType dtype) {
  Feature feature;
  for (size_t i = 0; i < examples.all.size(); ++i) {
    const auto found = examples.all[i].find(key);
    feature.push_back(found == examples.all[i].end() ? nullptr : &found->second);
    if (feature.back() == nullptr || feature.back()->dtype() == dtype) continue;
    return InvalidArgument("Name: " + examples.names[i] + ", Key: " + key +
                           ", Index: " + std::to_string(i) +
                           ".  Data types don't match. Expected type: " + DTypeName(dtype) +
                           ", Actual type: " + DTypeName(feature.back()->dtype()));
  }
  return feature;
}

int64_t SizeOf(const Tensor* values) { return values == nullptr ? 0 : values->num_elements(); }

// All values one behind the other.
Result<Tensor> Joined(const Feature& feature, DType dtype) {
  int64_t count = 0;
  for (const Tensor* values : feature) count += SizeOf(values);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, Dims{count}));
  int64_t at = 0;
  for (const Tensor* values : feature) {
    if (SizeOf(values) > 0) CopyElements(*values, 0, joined, at, SizeOf(values));
    at += SizeOf(values);
  }
  return joined;
}

// Where the values are: (example and) place, a row each.
Result<Tensor> Places(const Feature& feature, bool is_one) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < feature.size(); ++i) {
    for (int64_t k = 0; k < SizeOf(feature[i]); ++k) {
      if (!is_one) places.push_back(static_cast<int64_t>(i));
      places.push_back(k);
    }
  }
  const int64_t width = is_one ? 1 : 2;
  return Tensor::Of<int64_t>(Dims{static_cast<int64_t>(places.size()) / width, width}, places);
}

int64_t LongestOf(const Feature& feature) {
  int64_t longest = 0;
  for (const Tensor* values : feature) longest = std::max(longest, SizeOf(values));
  return longest;
}

// Where the rows of a ragged tensor begin, and the last ends; nothing for one example.
Result<Tensor> Splits(const Feature& feature, bool is_one, DType dtype) {
  std::vector<int64_t> splits;
  if (!is_one) splits.push_back(0);
  for (const Tensor* values : feature) {
    if (!is_one) splits.push_back(splits.back() + SizeOf(values));
  }
  if (dtype == DType::kInt64) return Tensor::Vector(splits);
  if (!splits.empty() && splits.back() > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("there are more values than row splits of int32 can say");
  }
  return Tensor::Vector(std::vector<int32_t>(splits.begin(), splits.end()));
}

// A feature that has values side by side: of one shape in all examples, or, where its first
// dimension is open, as many rows as the longest has.
struct DenseForm {
  std::string key;
  size_t index = 0;  // among the dense ones
  Dims dims;         // of a value, or of a row of one
  bool is_open = false;
  Tensor otherwise;  // the value of examples without one, or what fills rows up
};

Result<DenseForm> DenseFormOf(const std::string& key, size_t index, const PartialShape& shape,
                              const Tensor& otherwise) {
  DenseForm form = {key, index, shape.dims(), false, otherwise};
  const std::string place = "[" + std::to_string(index) + "]";
  form.is_open =
      shape.known_rank() && shape.rank() > 0 && shape.dim(0) == PartialShape::kUnknownDim;
  if (form.is_open) form.dims.erase(form.dims.begin());
  if (!shape.known_rank() || std::ranges::count(form.dims, PartialShape::kUnknownDim) > 0) {
    return InvalidArgument("dense_shapes" + place +
                           " has unknown rank or unknown inner dimensions: " + shape.ToString());
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(form.dims));
  if (form.is_open && size == 0) {
    return InvalidArgument(
        "dense_shapes" + place +
        " has rows without elements, of which any number would do: " + shape.ToString());
  }
  if (form.is_open && otherwise.num_elements() != 1) {
    return InvalidArgument("dense_shape" + place + " is a variable length shape: " +
                           shape.ToString() + ", therefore def_value" + place +
                           " must contain a single element (the padding element).  But its shape "
                           "is: " +
                           DimsString(otherwise.dims()));
  }
  if (!form.is_open && otherwise.num_elements() > 0 && ToDims(otherwise.dims()) != form.dims) {
    return InvalidArgument("def_value" + place + ".shape() == " + DimsString(otherwise.dims()) +
                           " is not compatible with dense_shapes_" + place +
                           " == " + shape.ToString());
  }
  return form;
}

// That each example has as many values as are wanted.
Status CheckSizes(const Examples& examples, const DenseForm& form, const Feature& feature) {
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t size, NumElements(form.dims));
  for (size_t i = 0; i < feature.size(); ++i) {
    const std::string name = "Name: " + examples.names[i] + ", ";
    if (feature[i] == nullptr && !form.is_open && form.otherwise.num_elements() == 0) {
      return InvalidArgument(name + "Feature: " + form.key +
                             " (data type: " + DTypeName(form.otherwise.dtype()) +
                             ") is required but could not be found.");
    }
    if (feature[i] == nullptr) continue;
    const int64_t count = SizeOf(feature[i]);
    if (form.is_open ? count % size == 0 : count == size) continue;
    return InvalidArgument(name + "Key: " + form.key + ", Index: " + std::to_string(i) +
                           ".  Number of " + DTypeName(feature[i]->dtype()) + " values " +
                           (form.is_open ? "is not a multiple of stride length" : "!= expected") +
                           ". Saw " + std::to_string(count) + " values but output shape is: " +
                           (form.is_open ? "rows of " : "") + DimsString(form.dims));
  }
  return Status();
}

Result<Tensor> SideBySide(const Examples& examples, const DenseForm& form) {
  const DType dtype = form.otherwise.dtype();
  TAGFLOW_ASSIGN_OR_RETURN(const Feature feature, FeatureOf(examples, form.key, dtype));
  TAGFLOW_RETURN_IF_ERROR(CheckSizes(examples, form, feature));
  TAGFLOW_ASSIGN_OR_RETURN(int64_t size, NumElements(form.dims));
  Dims dims;
  if (!examples.is_one) dims.push_back(static_cast<int64_t>(feature.size()));
  if (form.is_open) {
    dims.push_back(LongestOf(feature) / size);
    size *= dims.back();
  }
  dims.insert(dims.end(), form.dims.begin(), form.dims.end());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(dtype, dims));
  for (size_t i = 0; i < feature.size(); ++i) {
    const int64_t begin = static_cast<int64_t>(i) * size;
    const int64_t count = SizeOf(feature[i]);
    if (count > 0) CopyElements(*feature[i], 0, values, begin, count);
    if (!form.is_open && feature[i] == nullptr) {
      CopyElements(form.otherwise, 0, values, begin, size);
    }
    for (int64_t k = count; form.is_open && k < size; ++k) {
      CopyElements(form.otherwise, 0, values, begin + k, 1);
    }
  }
  return values;
}

// ---- The two ops ----

// What is asked for.
struct Keys {
  std::vector<std::string> sparse, dense, ragged;
  size_t defaults = 0;  // the input that the defaults of the dense ones begin at
};

Status CheckCount(const char* what, size_t keys, size_t types) {
  if (keys == types) return Status();
  return InvalidArgument(std::string("Expected len(") + what +
                         "_keys) == " + std::to_string(types) +
                         ", its number of types, but got: " + std::to_string(keys));
}

Status AddSparse(const Examples& examples, const std::vector<std::string>& keys,
                 const std::vector<ArgType>& types, std::vector<Tensor>& outputs) {
  std::vector<Feature> features;
  for (size_t i = 0; i < keys.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(features.emplace_back(), FeatureOf(examples, keys[i], types[i].dtype));
    TAGFLOW_ASSIGN_OR_RETURN(outputs.emplace_back(), Places(features[i], examples.is_one));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(outputs.emplace_back(), Joined(features[i], types[i].dtype));
  }
  for (const Feature& feature : features) {
    std::vector<int64_t> shape = {LongestOf(feature)};
    if (!examples.is_one) shape.insert(shape.begin(), static_cast<int64_t>(feature.size()));
    outputs.push_back(Tensor::Vector(shape));
  }
  return Status();
}

Status AddRagged(const KernelContext& context, const Examples& examples,
                 const std::vector<std::string>& keys, std::vector<Tensor>& outputs) {
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList values, ListAttr(context.node, "ragged_value_types"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList splits, ListAttr(context.node, "ragged_split_types"));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("ragged", keys.size(), values.types.size()));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("ragged", keys.size(), splits.types.size()));
  std::vector<Tensor> rows;
  for (size_t i = 0; i < keys.size(); ++i) {
    const DType dtype = values.types[i].dtype;
    TAGFLOW_ASSIGN_OR_RETURN(const Feature feature, FeatureOf(examples, keys[i], dtype));
    TAGFLOW_ASSIGN_OR_RETURN(outputs.emplace_back(), Joined(feature, dtype));
    TAGFLOW_ASSIGN_OR_RETURN(rows.emplace_back(),
                             Splits(feature, examples.is_one, splits.types[i].dtype));
  }
  outputs.insert(outputs.end(), rows.begin(), rows.end());
  return Status();
}

// What both ops do; `sparse_count` names the attr that says how many sparse features there are.
Status Parse(KernelContext& context, const Keys& keys, const char* sparse_count) {
  const Node& node = context.node;
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList sparse, ListAttr(node, "sparse_types"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList shapes, ListAttr(node, "dense_shapes"));
  TAGFLOW_ASSIGN_OR_RETURN(const AttrList dense, ListAttr(node, "Tdense"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t count, IntAttr(node, sparse_count));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("sparse", keys.sparse.size(), sparse.types.size()));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("sparse", keys.sparse.size(), static_cast<size_t>(count)));
  TAGFLOW_RETURN_IF_ERROR(CheckCount("dense", keys.dense.size(), dense.types.size()));
  if (shapes.shapes.size() != dense.types.size()) {
    return InvalidArgument("len(dense_shapes) is " + std::to_string(shapes.shapes.size()) +
                           ", not that of Tdense, " + std::to_string(dense.types.size()));
  }
  std::vector<DenseForm> forms;
  for (size_t i = 0; i < keys.dense.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(forms.emplace_back(), DenseFormOf(keys.dense[i], i, shapes.shapes[i],
                                                               context.inputs[keys.defaults + i]));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Examples examples,
                           ReadExamples(context.inputs[0], context.inputs[1]));
  std::vector<Tensor> outputs;
  TAGFLOW_RETURN_IF_ERROR(AddSparse(examples, keys.sparse, sparse.types, outputs));
  for (const DenseForm& form : forms) {
    TAGFLOW_ASSIGN_OR_RETURN(outputs.emplace_back(), SideBySide(examples, form));
  }
  if (node.op == "ParseExampleV2") {
    TAGFLOW_RETURN_IF_ERROR(AddRagged(context, examples, keys.ragged, outputs));
  }
  context.outputs = std::move(outputs);
  return Status();
}

//   serialized, names: [n] or names [0]; a scalar for each key; defaults
Status ParseExample(KernelContext& context) {
  if (context.inputs[0].rank() != 1) {
    return InvalidArgument("Expected serialized to be a vector, got shape: " +
                           DimsString(context.inputs[0].dims()));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t sparse, IntAttr(context.node, "Nsparse"));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t dense, IntAttr(context.node, "Ndense"));
  Keys keys;
  constexpr size_t kFirst = 2;
  keys.defaults = kFirst + static_cast<size_t>(sparse + dense);
  for (size_t i = kFirst; i < keys.defaults; ++i) {
    const Tensor& key = context.inputs[i];
    if (key.num_elements() != 1) {
      return InvalidArgument("a key must be a scalar, but has shape " + DimsString(key.dims()));
    }
    const bool is_sparse = i < kFirst + static_cast<size_t>(sparse);
    (is_sparse ? keys.sparse : keys.dense).push_back(*key.data<std::string>());
  }
  return Parse(context, keys, "Nsparse");
}

//   serialized: scalar or [n]; names: the same or [0]; keys: a vector of each kind; defaults
Status ParseExampleV2(KernelContext& context) {
  if (context.inputs[0].rank() > 1) {
    return InvalidArgument("Expected serialized to be a scalar or vector, got shape: " +
                           DimsString(context.inputs[0].dims()));
  }
  Keys keys;
  size_t at = 2;
  for (auto* list : {&keys.sparse, &keys.dense, &keys.ragged}) {
    const auto texts = context.inputs[at++].flat<std::string>();
    list->assign(texts.begin(), texts.end());
  }
  keys.defaults = at;
  return Parse(context, keys, "num_sparse");
}

}  // namespace

Status RegisterParsingKernels(KernelRegistry& registry) {
  return RegisterAll(registry, {{"DecodeRaw", DecodeRaw},
                                {"ParseExample", ParseExample},
                                {"ParseExampleV2", ParseExampleV2}});
}

}  // namespace tagflow::reference
