#ifndef TAGFLOW_GRAPH_IO_VARIANT_PROTO_H_
#define TAGFLOW_GRAPH_IO_VARIANT_PROTO_H_

// Variant elements to and from the wire. A type we do not know keeps its bytes (OpaqueVariant).

#include <cstdint>
#include <string_view>

#include "graph/io/graph.pb.h"
#include "graph/io/tensor_proto.h"
#include "graph/status.h"
#include "graph/variant.h"

namespace tagflow {

Result<Variant> VariantFromProto(const VariantTensorDataProto& proto, TensorBudget& budget);
// UNIMPLEMENTED for a type that has no wire form.
Status VariantToProto(const Variant& variant, TensorForm form, VariantTensorDataProto& proto);

// Base-128 numbers, one after the other.
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : rest_(bytes) {}
  // False when the bytes end first, or the number has more than ten bytes.
  bool Read(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_VARIANT_PROTO_H_
