#include "graph/io/variant_proto.h"

#include "graph/io/parse.h"

namespace tagflow {

Result<Variant> VariantFromProto(const VariantTensorDataProto& proto, TensorBudget& budget) {
  if (proto.type_name().empty()) return Variant();
  std::string bytes = SerializeDeterministic(proto);
  TAGFLOW_RETURN_IF_ERROR(budget.Take(static_cast<int64_t>(bytes.size()), 1));
  return Variant(std::make_shared<const OpaqueVariant>(proto.type_name(), std::move(bytes)));
}

Status VariantToProto(const Variant& variant, TensorForm form, VariantTensorDataProto& proto) {
  (void)form;
  if (variant.empty()) return Status();
  const auto* opaque = variant.Get<OpaqueVariant>();
  if (opaque == nullptr) {
    return Unimplemented("a variant of type " + variant.value()->TypeName() + " has no wire form");
  }
  return ParseBinary(opaque->bytes(), "a variant of type " + opaque->TypeName(), proto);
}

}  // namespace tagflow
