// Tables from keys to values: those that are filled once (vocabularies), and those that change.

#include <string>

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

// Handles of the older forms are two texts.
Status HandleAlone(ShapeContext& context) {
  return shapes::RequireRank(context, 0, context.node().op.ends_with("V2") ? 0 : 1);
}

Status TableShape(ShapeContext& context) {
  if (context.node().op.ends_with("V2")) return shapes::Scalar(context);
  context.set_output(0, PartialShape(Dims{2}));
  return Status();
}

// What a table's values are like, its handle does not say; but a scalar default is a value.
Status FindShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  const PartialShape& otherwise = context.input(2);
  const bool is_scalar = otherwise.known_rank() && otherwise.rank() == 0;
  context.set_output(0, is_scalar ? context.input(1) : PartialShape());
  return Status();
}

Status ImportShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRankAtLeast(context, 2, 1));
  const PartialShape &keys = context.input(1), &values = context.input(2);
  if (!keys.known_rank() || !values.known_rank()) return Status();
  return shapes::MergeDims(keys.dim(0), values.dim(0)).status();
}

Status RemoveShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  return shapes::RequireRankAtLeast(context, 1, 1);
}

Status ExportShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  context.set_output(0, PartialShape::UnknownOfRank(1));
  context.set_output(1, PartialShape());
  return Status();
}

Status SizeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  return shapes::Scalar(context);
}

Status InitializeShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  TAGFLOW_RETURN_IF_ERROR(shapes::RequireRank(context, 1, 1));
  return MergeShapes(context.input(1), context.input(2)).status();
}

Status InitializeFromFileShape(ShapeContext& context) {
  TAGFLOW_RETURN_IF_ERROR(HandleAlone(context));
  return shapes::RequireRank(context, 1, 0);
}

// The ops as they are, and as they were before there were handles of their own.
struct Form {
  std::string version;
  std::string handle;
  bool is_stateful;  // what uses a table
};

OpDefBuilder Table(const Form& form, const std::string& name, std::string_view summary) {
  return OpDefBuilder(name + form.version)
      .Output("table_handle: " + form.handle)
      .Attr("container: string = ''")
      .Attr("shared_name: string = ''")
      .Attr("use_node_name_sharing: bool = false")
      .Attr("key_dtype: type")
      .Attr("value_dtype: type")
      .Stateful()
      .Summary(summary)
      .Shape(TableShape);
}

std::vector<OpDefBuilder> Tables(const Form& form) {
  return {
      Table(form, "HashTable",
            "A handle to the table of this container and name, which is filled once."),
      Table(form, "MutableHashTable", "A handle to the table of this container and name."),
      Table(form, "MutableHashTableOfTensors",
            "A handle to the table of this container and name, whose values are vectors.")
          .Attr("value_shape: shape = {}"),
  };
}

OpDefBuilder Use(const Form& form, const std::string& name) {
  OpDefBuilder op(name + form.version);
  op.Input("table_handle: " + form.handle);
  if (form.is_stateful) op.Stateful();
  return op;
}

// What asks a table, and changes one.
std::vector<OpDefBuilder> Uses(const Form& form) {
  return {
      Use(form, "LookupTableFind")
          .Input("keys: Tin")
          .Input("default_value: Tout")
          .Output("values: Tout")
          .Attr("Tin: type")
          .Attr("Tout: type")
          .Summary("The value of each key, the default where a table has none.")
          .Shape(FindShape),
      Use(form, "LookupTableInsert")
          .Input("keys: Tin")
          .Input("values: Tout")
          .Attr("Tin: type")
          .Attr("Tout: type")
          .Summary("Sets the values of keys.")
          .Shape(HandleAlone),
      Use(form, "LookupTableImport")
          .Input("keys: Tin")
          .Input("values: Tout")
          .Attr("Tin: type")
          .Attr("Tout: type")
          .Summary("Puts keys and their values in the place of all that a table holds.")
          .Shape(ImportShape),
      Use(form, "LookupTableExport")
          .Output("keys: Tkeys")
          .Output("values: Tvalues")
          .Attr("Tkeys: type")
          .Attr("Tvalues: type")
          .Summary("All keys of a table, ascending, and their values.")
          .Shape(ExportShape),
      Use(form, "LookupTableSize")
          .Output("size: int64")
          .Summary("How many keys a table has.")
          .Shape(SizeShape),
  };
}

// What fills a table that is filled once.
std::vector<OpDefBuilder> Fillings(const Form& form) {
  return {
      Use(form, "InitializeTable")
          .Input("keys: Tkey")
          .Input("values: Tval")
          .Attr("Tkey: type")
          .Attr("Tval: type")
          .Summary("Fills a table with keys and their values; nothing where it holds as many.")
          .Shape(InitializeShape),
      Use(form, "InitializeTableFromTextFile")
          .Input("filename: string", ArgRole::kScalar)
          .Attr("key_index: int >= -2")
          .Attr("value_index: int >= -2")
          .Attr("vocab_size: int >= -1 = -1")
          .Attr("delimiter: string = '\t'")
          .Attr("offset: int = 0")
          .Summary(
              "Fills a table from the lines of a file: columns by their number, -1 the line's own, "
              "-2 all of it.")
          .Shape(InitializeFromFileShape),
  };
}

}  // namespace

Status RegisterTableOps(OpRegistry& registry) {
  const Form older = {"", "Ref(string)", false}, newer = {"V2", "resource", true};
  for (const Form& form : {older, newer}) {
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Tables(form)));
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Uses(form)));
    TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Fillings(form)));
  }
  return registry.Register(Use(newer, "LookupTableRemove")
                               .Input("keys: Tin")
                               .Attr("Tin: type")
                               .Summary("Takes keys out of a table, those that it has.")
                               .Shape(RemoveShape));
}

}  // namespace tagflow
