// Tables: HashTableV2, which is filled once, MutableHashTableV2, and what asks and changes them.
//                                                                               Spec: [resource.1]

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/saved/vocabulary.h"
#include "reference/kernels/array_util.h"
#include "reference/kernels/element.h"
#include "reference/kernels/families.h"
#include "reference/kernels/table.h"
#include "reference/kernels/text_handle.h"

namespace tagflow::reference {
namespace {

constexpr char kTypeName[] = "tensorflow::lookup::LookupInterface";
// After the container of a table that is one node's alone.
constexpr char kOfNodes[] = " (of nodes)";

// ---- Tables by name ----

// The container, "localhost" unless given, and the name. Without a shared name a table is its
// node's, which no other node can name unless the node allows it.
Result<Resources::Key> KeyOf(const Node& node) {
  TAGFLOW_ASSIGN_OR_RETURN(std::string container, StringAttr(node, "container"));
  TAGFLOW_ASSIGN_OR_RETURN(std::string name, StringAttr(node, "shared_name"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool shares_name, BoolAttr(node, "use_node_name_sharing"));
  if (container.empty()) container = "localhost";
  if (name.empty() && !shares_name) container += kOfNodes;
  if (name.empty()) name = node.name;
  return Resources::Key(std::move(container), std::move(name));
}

// The dtypes that TensorFlow has tables of.
bool HasTable(DType key, DType value, bool is_filled_once) {
  std::vector<DType> values = {DType::kInt32, DType::kFloat, DType::kDouble};
  if (key != DType::kInt32) values.push_back(DType::kInt64);
  if (key == DType::kInt64 || is_filled_once) values.push_back(DType::kString);
  if (key == DType::kString) values.push_back(DType::kBool);
  return (key == DType::kString || key == DType::kInt32 || key == DType::kInt64) &&
         std::find(values.begin(), values.end(), value) != values.end();
}

// A new table as the node describes it.
Result<std::shared_ptr<Table>> Described(const Node& node, const std::string& name) {
  auto table = std::make_shared<Table>();
  table->name = name;
  table->is_filled_once = node.op.starts_with("HashTable");
  TAGFLOW_ASSIGN_OR_RETURN(table->key_dtype, TypeAttr(node, "key_dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(table->value_dtype, TypeAttr(node, "value_dtype"));
  if (!HasTable(table->key_dtype, table->value_dtype, table->is_filled_once)) {
    return Unimplemented("there are no tables from " + DTypeName(table->key_dtype) + " to " +
                         DTypeName(table->value_dtype));
  }
  if (!node.op.starts_with("MutableHashTableOfTensors")) return table;
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(node, "value_shape"));
  if (!shape.fully_known() || shape.rank() != 1) {
    return InvalidArgument("Default value must be a vector, got shape " + shape.ToString());
  }
  table->value_dims = shape.dims();
  return table;
}

//   output: a handle
Status MakeTable(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const Resources::Key key, KeyOf(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const auto wanted, Described(context.node, key.second));
  const auto known = std::dynamic_pointer_cast<Table>(context.resources.FindObject(key));
  if (known == nullptr) {
    context.resources.AddObject(key, wanted);
  } else if (known->key_dtype != wanted->key_dtype || known->value_dtype != wanted->value_dtype) {
    return InvalidArgument("Conflicting key/value dtypes " + DTypeName(wanted->key_dtype) + "->" +
                           DTypeName(wanted->value_dtype) + " with " + DTypeName(known->key_dtype) +
                           "-" + DTypeName(known->value_dtype) + " for table " + key.second);
  }
  if (context.signature.outputs[0].dtype == DType::kString) {
    return GiveTextHandle(context, {key.first, key.second});
  }
  ResourceHandle handle;
  handle.container = key.first;
  handle.name = key.second;
  handle.type_name = kTypeName;
  context.outputs[0] = Tensor::Scalar(std::move(handle));
  return Status();
}

Status Missing(const Resources::Key& key) {
  return NotFound("there is no table '" + key.second + "' in container '" + key.first +
                  "': it was destroyed, or no node made it in this session");
}

// ---- Keys and values ----

Status CheckTypes(const Table& table, DType key, DType value) {
  if (key == table.key_dtype && value == table.value_dtype) return Status();
  return InvalidArgument("Signature mismatch: table '" + table.name + "' is from " +
                         DTypeName(table.key_dtype) + " to " + DTypeName(table.value_dtype) +
                         ", not from " + DTypeName(key) + " to " + DTypeName(value));
}

TableKey KeyAt(const Tensor& keys, int64_t i) {
  if (keys.dtype() == DType::kString) return keys.data<std::string>()[i];
  if (keys.dtype() == DType::kInt32) return int64_t{keys.data<int32_t>()[i]};
  return keys.data<int64_t>()[i];
}

void SetKey(Tensor& keys, int64_t i, const TableKey& key) {
  if (keys.dtype() == DType::kString) {
    keys.mutable_data<std::string>()[i] = std::get<std::string>(key);
  } else if (keys.dtype() == DType::kInt32) {
    keys.mutable_data<int32_t>()[i] = static_cast<int32_t>(std::get<int64_t>(key));
  } else {
    keys.mutable_data<int64_t>()[i] = std::get<int64_t>(key);
  }
}

std::string KeyText(const TableKey& key) {
  const auto* number = std::get_if<int64_t>(&key);
  return number != nullptr ? std::to_string(*number) : std::get<std::string>(key);
}

// How many elements a value has.
int64_t ValueSize(const Table& table) {
  return ProductOf(table.value_dims, 0, table.value_dims.size());
}

Result<Tensor> ValueAt(const Table& table, const Tensor& values, int64_t i) {
  const int64_t size = ValueSize(table);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor value, Tensor::Allocate(table.value_dtype, table.value_dims));
  CopyElements(values, i * size, value, 0, size);
  return value;
}

// Whether they are equal as numbers are: no NaN is.
bool AreEqual(const Tensor& a, const Tensor& b) {
  return WithComputingType(a.dtype(),
                           [&]<typename C>(Computing<C>) { return Load<C>(a) == Load<C>(b); });
}

// The dimensions of keys, and behind them those of a value.
Dims DimsOfValues(const Table& table, const Tensor& keys) {
  Dims dims = ToDims(keys.dims());
  dims.insert(dims.end(), table.value_dims.begin(), table.value_dims.end());
  return dims;
}

// That there is a value for each key.
Status CheckPairs(const Table& table, const Tensor& keys, const Tensor& values) {
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(table, keys.dtype(), values.dtype()));
  const Dims dims = DimsOfValues(table, keys);
  if (ToDims(values.dims()) == dims) return Status();
  return InvalidArgument("Expected shape " + DimsString(dims) + " for value, got " +
                         DimsString(values.dims()));
}

// Fills a table that is filled once: wholly or, where there is an error, not at all. Of one that is
// filled only the number of keys is compared, as in TensorFlow.
//   Errors: FAILED_PRECONDITION for a key with two values, and for another number of keys
Status Fill(Table& table, const Tensor& keys, const Tensor& values) {
  const int64_t count = keys.num_elements();
  if (count == 0) return InvalidArgument("keys and values cannot be empty tensors.");
  TAGFLOW_RETURN_IF_ERROR(CheckPairs(table, keys, values));
  if (table.is_filled) {
    if (static_cast<int64_t>(table.values.size()) == count) return Status();
    return FailedPrecondition("Table was already initialized with different data: table '" +
                              table.name + "' has " + std::to_string(table.values.size()) +
                              " keys, not " + std::to_string(count));
  }
  std::map<TableKey, Tensor> filled;
  for (int64_t i = 0; i < count; ++i) {
    const TableKey key = KeyAt(keys, i);
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor value, ValueAt(table, values, i));
    const auto [place, is_new] = filled.try_emplace(key, value);
    if (is_new || AreEqual(place->second, value)) continue;
    return FailedPrecondition("HashTable has different value for same key. Key " + KeyText(key) +
                              " has " + place->second.DebugString() + " and trying to add value " +
                              value.DebugString());
  }
  table.values = std::move(filled);
  table.is_filled = true;
  return Status();
}

// ---- What asks a table, and changes it ----

//   keys; default_value: one value, or one for each key, of which a table that is filled once takes
//   the first, as TensorFlow's does; output: a value for each key
Status Find(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, FindTable(context, Touch::kRead));
  const Tensor &keys = context.inputs[1], &otherwise = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(*table, keys.dtype(), otherwise.dtype()));
  const Dims dims = DimsOfValues(*table, keys), default_dims = ToDims(otherwise.dims());
  if (default_dims != table->value_dims && default_dims != dims) {
    return InvalidArgument("Expected shape " + DimsString(table->value_dims) + " or " +
                           DimsString(dims) + " for default value, got " +
                           DimsString(default_dims));
  }
  if (table->is_filled_once && !table->is_filled) {
    return FailedPrecondition("Table not initialized: run what fills table '" + table->name +
                              "' first");
  }
  const int64_t size = ValueSize(*table);
  const bool is_for_each = default_dims != table->value_dims && !table->is_filled_once;
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(table->value_dtype, dims));
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const auto found = table->values.find(KeyAt(keys, i));
    if (found != table->values.end()) {
      CopyElements(found->second, 0, values, i * size, size);
    } else {
      CopyElements(otherwise, is_for_each ? i * size : 0, values, i * size, size);
    }
  }
  context.outputs[0] = std::move(values);
  return Status();
}

Status SetAll(Table& table, const Tensor& keys, const Tensor& values) {
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(table.values[KeyAt(keys, i)], ValueAt(table, values, i));
  }
  return Status();
}

Status Insert(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, FindTable(context, Touch::kWrite));
  TAGFLOW_RETURN_IF_ERROR(CheckPairs(*table, context.inputs[1], context.inputs[2]));
  if (table->is_filled_once) {
    return Unimplemented("Insert not supported: table '" + table->name + "' is filled once");
  }
  return SetAll(*table, context.inputs[1], context.inputs[2]);
}

Status Import(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, FindTable(context, Touch::kWrite));
  TAGFLOW_RETURN_IF_ERROR(CheckPairs(*table, context.inputs[1], context.inputs[2]));
  if (table->is_filled_once) return Fill(*table, context.inputs[1], context.inputs[2]);
  table->values.clear();
  return SetAll(*table, context.inputs[1], context.inputs[2]);
}

Status Remove(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, FindTable(context, Touch::kWrite));
  const Tensor& keys = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(*table, keys.dtype(), table->value_dtype));
  if (table->is_filled_once) {
    return Unimplemented("Remove not supported: table '" + table->name + "' is filled once");
  }
  for (int64_t i = 0; i < keys.num_elements(); ++i) table->values.erase(KeyAt(keys, i));
  return Status();
}

//   outputs: the keys, ascending, [n]; their values, [n, …]
Status Export(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, FindTable(context, Touch::kRead));
  TAGFLOW_RETURN_IF_ERROR(
      CheckTypes(*table, context.signature.outputs[0].dtype, context.signature.outputs[1].dtype));
  if (table->is_filled_once && !table->is_filled) {
    return Status(Code::kAborted,
                  "HashTable is not initialized: run what fills table '" + table->name + "' first");
  }
  const auto count = static_cast<int64_t>(table->values.size());
  TAGFLOW_ASSIGN_OR_RETURN(Tensor keys, Tensor::Allocate(table->key_dtype, Dims{count}));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor values,
                           Tensor::Allocate(table->value_dtype, DimsOfValues(*table, keys)));
  const int64_t size = ValueSize(*table);
  int64_t i = 0;
  for (const auto& [key, value] : table->values) {
    SetKey(keys, i, key);
    CopyElements(value, 0, values, i * size, size);
    ++i;
  }
  context.outputs = {std::move(keys), std::move(values)};
  return Status();
}

Status Size(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, FindTable(context, Touch::kRead));
  context.outputs[0] = Tensor::Scalar(static_cast<int64_t>(table->values.size()));
  return Status();
}

// ---- What fills a table ----

Result<std::shared_ptr<Table>> TableToFill(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(auto table, FindTable(context, Touch::kWrite));
  if (table->is_filled_once) return table;
  return InvalidArgument("Table " + table->name +
                         " is not initializable: it is one that LookupTableInsertV2 changes");
}

//   keys, values: [n]
Status Initialize(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableToFill(context));
  const Tensor &keys = context.inputs[1], &values = context.inputs[2];
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(*table, keys.dtype(), values.dtype()));
  if (keys.rank() != 1 || values.rank() != 1) {
    return InvalidArgument("Keys and values must be vectors, but received shapes " +
                           DimsString(keys.dims()) + " and " + DimsString(values.dims()));
  }
  if (keys.dim(0) != values.dim(0)) {
    return InvalidArgument("Keys and values must have the same size " +
                           std::to_string(keys.dim(0)) + " vs " + std::to_string(values.dim(0)));
  }
  return Fill(*table, keys, values);
}

Result<VocabularyFormat> FormatOf(const Node& node) {
  VocabularyFormat format;
  TAGFLOW_ASSIGN_OR_RETURN(format.key_index, IntAttr(node, "key_index"));
  TAGFLOW_ASSIGN_OR_RETURN(format.value_index, IntAttr(node, "value_index"));
  TAGFLOW_ASSIGN_OR_RETURN(format.size, IntAttr(node, "vocab_size"));
  TAGFLOW_ASSIGN_OR_RETURN(format.offset, IntAttr(node, "offset"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string delimiter, StringAttr(node, "delimiter"));
  if (delimiter.size() != 1) return InvalidArgument("delimiter should be only 1 char");
  format.delimiter = delimiter[0];
  return format;
}

//   filename: scalar. A table that is filled stays as it is.
Status InitializeFromFile(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(VocabularyFormat format, FormatOf(context.node));
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableToFill(context));
  const Tensor& name = context.inputs[1];
  if (name.rank() != 0) {
    return InvalidArgument("filename should be a single string, but got " +
                           DimsString(name.dims()));
  }
  const std::string path = *name.data<std::string>();
  if (path.empty()) return InvalidArgument("filename cannot be empty.");
  format.key_dtype = table->key_dtype;
  format.value_dtype = table->value_dtype;
  format.is_first_only = table->is_filled;
  TAGFLOW_ASSIGN_OR_RETURN(const Vocabulary read, ReadVocabulary(path, format));
  return table->is_filled ? Status() : Fill(*table, read.keys, read.values);
}

}  // namespace

bool IsTableHandle(const Tensor& tensor) {
  return tensor.dtype() == DType::kResource && tensor.num_elements() == 1 &&
         tensor.data<ResourceHandle>()->type_name == kTypeName;
}

namespace {

Result<Resources::Key> KeyOfHandle(const KernelContext& context) {
  if (TakesTextHandle(context)) {
    TAGFLOW_ASSIGN_OR_RETURN(const TextHandle texts, TextHandleOf(context));
    return Resources::Key(texts.container, texts.name);
  }
  const Tensor& input = context.inputs[0];
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of a table must be a scalar, not of shape " +
                           DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  if (!IsTableHandle(input)) {
    return InvalidArgument(
        "Trying to access a handle's resource using the wrong type: resource '" + handle.name +
        "' is a " + (handle.type_name.empty() ? "nothing" : handle.type_name) + ", not a table");
  }
  return Resources::Key(handle.container, handle.name);
}

}  // namespace

Result<std::shared_ptr<Table>> FindTable(KernelContext& context, Touch touch) {
  TAGFLOW_ASSIGN_OR_RETURN(const Resources::Key key, KeyOfHandle(context));
  auto table = std::dynamic_pointer_cast<Table>(context.resources.FindObject(key));
  if (table == nullptr) return Missing(key);
  context.accesses.push_back({table.get(), Access::kWhole, touch == Touch::kWrite, table->name});
  return table;
}

Status DestroyTable(KernelContext& context, bool ignore_missing) {
  const ResourceHandle handle = *context.inputs[0].data<ResourceHandle>();
  const auto table = FindTable(context, Touch::kWrite);
  if (!table.ok()) return ignore_missing ? Status() : table.status();
  context.resources.RemoveObject({handle.container, handle.name});
  return Status();
}

Status RegisterTableKernels(KernelRegistry& registry) {
  const std::pair<const char*, Kernel> kernels[] = {
      {"HashTable", MakeTable},
      {"MutableHashTable", MakeTable},
      {"MutableHashTableOfTensors", MakeTable},
      {"LookupTableFind", Find},
      {"LookupTableInsert", Insert},
      {"LookupTableImport", Import},
      {"LookupTableExport", Export},
      {"LookupTableSize", Size},
      {"InitializeTable", Initialize},
      {"InitializeTableFromTextFile", InitializeFromFile},
  };
  for (const char* version : {"", "V2"}) {
    for (const auto& [op, kernel] : kernels) {
      TAGFLOW_RETURN_IF_ERROR(registry.Register(std::string(op) + version, kernel));
    }
  }
  return registry.Register("LookupTableRemoveV2", Remove);
}

}  // namespace tagflow::reference
