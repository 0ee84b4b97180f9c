// Tables from keys to values: those that are filled once (vocabularies), and those that change.

#include "graph/ops/families.h"
#include "graph/ops/shape_functions.h"

namespace tagflow {
namespace {

Status HandleAlone(ShapeContext& context) { return shapes::RequireRank(context, 0, 0); }

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

OpDefBuilder Table(std::string_view name, std::string_view summary) {
  return OpDefBuilder(name)
      .Output("table_handle: resource")
      .Attr("container: string = ''")
      .Attr("shared_name: string = ''")
      .Attr("use_node_name_sharing: bool = false")
      .Attr("key_dtype: type")
      .Attr("value_dtype: type")
      .Stateful()
      .Summary(summary)
      .Shape(shapes::Scalar);
}

std::vector<OpDefBuilder> Tables() {
  return {
      Table("HashTableV2",
            "A handle to the table of this container and name, which is filled once."),
      Table("MutableHashTableV2", "A handle to the table of this container and name."),
      Table("MutableHashTableOfTensorsV2",
            "A handle to the table of this container and name, whose values are vectors.")
          .Attr("value_shape: shape = {}"),
  };
}

// What asks a table, and changes one.
std::vector<OpDefBuilder> Uses() {
  return {
      OpDefBuilder("LookupTableFindV2")
          .Input("table_handle: resource")
          .Input("keys: Tin")
          .Input("default_value: Tout")
          .Output("values: Tout")
          .Attr("Tin: type")
          .Attr("Tout: type")
          .Stateful()
          .Summary("The value of each key, the default where a table has none.")
          .Shape(FindShape),
      OpDefBuilder("LookupTableInsertV2")
          .Input("table_handle: resource")
          .Input("keys: Tin")
          .Input("values: Tout")
          .Attr("Tin: type")
          .Attr("Tout: type")
          .Stateful()
          .Summary("Sets the values of keys.")
          .Shape(HandleAlone),
      OpDefBuilder("LookupTableImportV2")
          .Input("table_handle: resource")
          .Input("keys: Tin")
          .Input("values: Tout")
          .Attr("Tin: type")
          .Attr("Tout: type")
          .Stateful()
          .Summary("Puts keys and their values in the place of all that a table holds.")
          .Shape(ImportShape),
      OpDefBuilder("LookupTableExportV2")
          .Input("table_handle: resource")
          .Output("keys: Tkeys")
          .Output("values: Tvalues")
          .Attr("Tkeys: type")
          .Attr("Tvalues: type")
          .Stateful()
          .Summary("All keys of a table, ascending, and their values.")
          .Shape(ExportShape),
      OpDefBuilder("LookupTableRemoveV2")
          .Input("table_handle: resource")
          .Input("keys: Tin")
          .Attr("Tin: type")
          .Stateful()
          .Summary("Takes keys out of a table, those that it has.")
          .Shape(RemoveShape),
      OpDefBuilder("LookupTableSizeV2")
          .Input("table_handle: resource")
          .Output("size: int64")
          .Stateful()
          .Summary("How many keys a table has.")
          .Shape(SizeShape),
  };
}

// What fills a table that is filled once.
std::vector<OpDefBuilder> Fillings() {
  return {
      OpDefBuilder("InitializeTableV2")
          .Input("table_handle: resource")
          .Input("keys: Tkey")
          .Input("values: Tval")
          .Attr("Tkey: type")
          .Attr("Tval: type")
          .Stateful()
          .Summary("Fills a table with keys and their values; nothing where it holds as many.")
          .Shape(InitializeShape),
      OpDefBuilder("InitializeTableFromTextFileV2")
          .Input("table_handle: resource")
          .Input("filename: string", ArgRole::kScalar)
          .Attr("key_index: int >= -2")
          .Attr("value_index: int >= -2")
          .Attr("vocab_size: int >= -1 = -1")
          .Attr("delimiter: string = '\t'")
          .Attr("offset: int = 0")
          .Stateful()
          .Summary(
              "Fills a table from the lines of a file: columns by their number, -1 the line's own, "
              "-2 all of it.")
          .Shape(InitializeFromFileShape),
  };
}

}  // namespace

Status RegisterTableOps(OpRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Tables()));
  TAGFLOW_RETURN_IF_ERROR(RegisterAll(registry, Uses()));
  return RegisterAll(registry, Fillings());
}

}  // namespace tagflow
