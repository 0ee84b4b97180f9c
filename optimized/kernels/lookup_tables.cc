// The ops of tables: HashTableV2, LookupTableFindV2, InitializeTableV2, ….      Spec: [resource.1]
// Tested by conformance/ops/table.ops.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "graph/saved/vocabulary.h"
#include "optimized/kernels/dtypes.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"
#include "optimized/kernels/table.h"
#include "optimized/kernels/text_handle.h"

namespace tagflow::optimized {
namespace {

// ---- Making ----

// A table without a shared name is its node's alone, unless the node lets others name it.
Result<SessionState::Key> TableKey(const Node& node) {
  SessionState::Key key;
  TAGFLOW_ASSIGN_OR_RETURN(key.first, StringAttr(node, "container"));
  TAGFLOW_ASSIGN_OR_RETURN(key.second, StringAttr(node, "shared_name"));
  TAGFLOW_ASSIGN_OR_RETURN(const bool shares_name, BoolAttr(node, "use_node_name_sharing"));
  if (key.first.empty()) key.first = "localhost";
  if (!key.second.empty()) return key;
  key.second = node.name;
  if (!shares_name) key.first += " (of nodes)";
  return key;
}

// Which values TensorFlow has tables of, by the dtype of the key.
DTypeSet ValuesFor(DType key, bool is_filled_once) {
  const DTypeSet numbers = SetOf(DType::kInt32, DType::kFloat, DType::kDouble);
  const DTypeSet texts = is_filled_once ? SetOf(DType::kString) : DTypeSet{0};
  switch (key) {
    case DType::kInt32:
      return numbers | texts;
    case DType::kInt64:
      return numbers | SetOf(DType::kInt64, DType::kString);
    case DType::kString:
      return numbers | SetOf(DType::kInt64, DType::kBool) | texts;
    default:
      return 0;
  }
}

Result<Table::Form> FormOf(const Binding& binding) {
  const Node& node = binding.node;
  Table::Form form;
  form.is_filled_once = node.op.starts_with("HashTable");
  TAGFLOW_ASSIGN_OR_RETURN(form.key, TypeAttr(node, "key_dtype"));
  TAGFLOW_ASSIGN_OR_RETURN(form.value, TypeAttr(node, "value_dtype"));
  const DTypeSet values = ValuesFor(form.key, form.is_filled_once);
  if (values == 0) return NoKernelFor(binding, form.key);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, form.value, values));
  if (!node.op.starts_with("MutableHashTableOfTensors")) return form;
  TAGFLOW_ASSIGN_OR_RETURN(const PartialShape shape, ShapeAttr(node, "value_shape"));
  if (!shape.fully_known() || shape.rank() != 1) {
    return InvalidArgument("Default value must be a vector, got shape " + shape.ToString());
  }
  form.value_dims = shape.dims();
  return form;
}

Status CheckForm(const Table& table, const Table::Form& wanted) {
  const Table::Form& held = table.form();
  if (held.key == wanted.key && held.value == wanted.value) return Status();
  return InvalidArgument("Conflicting key/value dtypes " + DTypeName(wanted.key) + "->" +
                         DTypeName(wanted.value) + " with " + DTypeName(held.key) + "-" +
                         DTypeName(held.value) + " for table " + table.name());
}

//   output: a handle
Result<BoundKernel> BindMake(const Binding& binding) {
  TAGFLOW_ASSIGN_OR_RETURN(const SessionState::Key key, TableKey(binding.node));
  TAGFLOW_ASSIGN_OR_RETURN(const Table::Form form, FormOf(binding));
  ResourceHandle handle;
  handle.container = key.first;
  handle.name = key.second;
  handle.type_name = kTableTypeName;
  return BoundKernel([key, form, given = HandleForm(binding),
                      value = Tensor::Scalar(std::move(handle))](KernelContext& context) -> Status {
    const auto object =
        context.session().FindOrCreateObject(key, [&] { return Table::Make(key.second, form); });
    TAGFLOW_RETURN_IF_ERROR(CheckForm(static_cast<const Table&>(*object), form));
    if (given.is_text) return GiveTextHandle(context, given, key);
    context.output(0) = value;
    return Status();
  });
}

// ---- Asking and changing ----

Status CheckTypes(const Table& table, DType key, DType value) {
  const Table::Form& form = table.form();
  if (form.key == key && form.value == value) return Status();
  return InvalidArgument("Signature mismatch: table '" + table.name() + "' is from " +
                         DTypeName(form.key) + " to " + DTypeName(form.value) + ", not from " +
                         DTypeName(key) + " to " + DTypeName(value));
}

// That inputs 1 and 2 are keys and a value for each.
Status CheckPairs(const Table& table, const Tensor& keys, const Tensor& values) {
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(table, keys.dtype(), values.dtype()));
  const Dims dims = table.form().DimsOfValues(keys.dims());
  if (std::ranges::equal(dims, values.dims())) return Status();
  return InvalidArgument("Expected shape " + DimsString(dims) + " for value, got " +
                         DimsString(values.dims()));
}

Status NotChanged(const Table& table, const char* what) {
  return Unimplemented(std::string(what) + " not supported: table '" + table.name() +
                       "' is filled once");
}

Status Find(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableOfHandle(context));
  const Tensor &keys = context.input(1), &otherwise = context.input(2);
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(*table, keys.dtype(), otherwise.dtype()));
  const Table::Form& form = table->form();
  const Dims dims = form.DimsOfValues(keys.dims());
  const DimsView has = otherwise.dims();
  if (!std::ranges::equal(has, form.value_dims) && !std::ranges::equal(has, dims)) {
    return InvalidArgument("Expected shape " + DimsString(form.value_dims) + " or " +
                           DimsString(dims) + " for default value, got " + DimsString(has));
  }
  if (form.is_filled_once && !table->is_filled()) {
    return FailedPrecondition("Table not initialized: run what fills table '" + table->name() +
                              "' first");
  }
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(0, form.value, dims));
  table->Find(keys, otherwise, *values);
  return Status();
}

Status Insert(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableOfHandle(context));
  TAGFLOW_RETURN_IF_ERROR(CheckPairs(*table, context.input(1), context.input(2)));
  if (table->form().is_filled_once) return NotChanged(*table, "Insert");
  table->Set(context.input(1), context.input(2), false);
  return Status();
}

Status Fill(Table& table, const Tensor& keys, const Tensor& values) {
  if (keys.num_elements() == 0) return InvalidArgument("keys and values cannot be empty tensors.");
  TAGFLOW_RETURN_IF_ERROR(CheckPairs(table, keys, values));
  return table.Fill(keys, values);
}

Status Import(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableOfHandle(context));
  const Tensor &keys = context.input(1), &values = context.input(2);
  TAGFLOW_RETURN_IF_ERROR(CheckPairs(*table, keys, values));
  if (table->form().is_filled_once) return Fill(*table, keys, values);
  table->Set(keys, values, true);
  return Status();
}

Status Remove(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableOfHandle(context));
  TAGFLOW_RETURN_IF_ERROR(CheckTypes(*table, context.input(1).dtype(), table->form().value));
  if (table->form().is_filled_once) return NotChanged(*table, "Remove");
  table->Remove(context.input(1));
  return Status();
}

Result<BoundKernel> BindExport(const Binding& binding) {
  return BoundKernel([key = binding.output_dtype(0),
                      value = binding.output_dtype(1)](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableOfHandle(context));
    TAGFLOW_RETURN_IF_ERROR(CheckTypes(*table, key, value));
    if (table->form().is_filled_once && !table->is_filled()) {
      return Status(Code::kAborted, "HashTable is not initialized: run what fills table '" +
                                        table->name() + "' first");
    }
    TAGFLOW_ASSIGN_OR_RETURN(auto pairs, table->Export());
    context.output(0) = std::move(pairs.first);
    context.output(1) = std::move(pairs.second);
    return Status();
  });
}

Status Size(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableOfHandle(context));
  context.output(0).SetScalar(table->size());
  return Status();
}

// ---- Filling ----

Result<std::shared_ptr<Table>> TableToFill(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(auto table, TableOfHandle(context));
  if (table->form().is_filled_once) return table;
  return InvalidArgument("Table " + table->name() +
                         " is not initializable: it is one that LookupTableInsertV2 changes");
}

Status Initialize(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableToFill(context));
  const Tensor &keys = context.input(1), &values = context.input(2);
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

Status InitializeFromFile(VocabularyFormat format, KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto table, TableToFill(context));
  const Tensor& name = context.input(1);
  if (name.rank() != 0) {
    return InvalidArgument("filename should be a single string, but got " +
                           DimsString(name.dims()));
  }
  const std::string& path = *name.data<std::string>();
  if (path.empty()) return InvalidArgument("filename cannot be empty.");
  format.key_dtype = table->form().key;
  format.value_dtype = table->form().value;
  format.is_first_only = table->is_filled();
  TAGFLOW_ASSIGN_OR_RETURN(const Vocabulary read, ReadVocabulary(path, format));
  if (format.is_first_only) return Status();
  const Status status = Fill(*table, read.keys, read.values);
  // Another step may have filled it meanwhile; of files that is never an error.
  return table->is_filled() ? Status() : status;
}

Result<BoundKernel> BindInitializeFromFile(const Binding& binding) {
  const Node& node = binding.node;
  VocabularyFormat format;
  TAGFLOW_ASSIGN_OR_RETURN(format.key_index, IntAttr(node, "key_index"));
  TAGFLOW_ASSIGN_OR_RETURN(format.value_index, IntAttr(node, "value_index"));
  TAGFLOW_ASSIGN_OR_RETURN(format.size, IntAttr(node, "vocab_size"));
  TAGFLOW_ASSIGN_OR_RETURN(format.offset, IntAttr(node, "offset"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string delimiter, StringAttr(node, "delimiter"));
  if (delimiter.size() != 1) return InvalidArgument("delimiter should be only 1 char");
  format.delimiter = delimiter[0];
  return BoundKernel(
      [format](KernelContext& context) { return InitializeFromFile(format, context); });
}

}  // namespace

Status RegisterTableKernels(KernelRegistry& registry) {
  const std::pair<const char*, Binder> kernels[] = {
      {"HashTable", BindMake},
      {"MutableHashTable", BindMake},
      {"MutableHashTableOfTensors", BindMake},
      {"LookupTableFind", Bind<Find>},
      {"LookupTableInsert", Bind<Insert>},
      {"LookupTableImport", Bind<Import>},
      {"LookupTableExport", BindExport},
      {"LookupTableSize", Bind<Size>},
      {"InitializeTable", Bind<Initialize>},
      {"InitializeTableFromTextFile", BindInitializeFromFile},
  };
  for (const char* version : {"", "V2"}) {
    for (const auto& [op, kernel] : kernels) {
      TAGFLOW_RETURN_IF_ERROR(registry.Register(std::string(op) + version, kernel));
    }
  }
  return registry.Register("LookupTableRemoveV2", Bind<Remove>);
}

}  // namespace tagflow::optimized
