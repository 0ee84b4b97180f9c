#ifndef TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_OPS_H_
#define TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_OPS_H_

// Short ways to write what many gradients are made of. Everything here is made of ops that have
// gradients themselves.

#include <functional>
#include <string>
#include <string_view>

#include "graph/builder/builder.h"
#include "transform/gradients/gradient_function.h"

namespace tagflow {

struct GradientEntry {
  const char* op;
  GradientFunction function;
};

// Registers a table of gradients.
template <typename Table>
Status RegisterAll(GradientRegistry& registry, const Table& table) {
  for (const GradientEntry& entry : table) {
    TAGFLOW_RETURN_IF_ERROR(registry.Register(entry.op, entry.function));
  }
  return Status();
}
template <typename Names>
Status RegisterStops(GradientRegistry& registry, const Names& names) {
  for (const char* op : names) TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  return Status();
}

// The complex conjugate; of a real tensor, itself.
Output Conjugate(const Scope& scope, const Output& x);
// The real part as a tensor of x's dtype; of a real tensor, itself.
Output RealPart(const Scope& scope, const Output& x);

// f(x) where f needs float or double: computed in float if x is narrower, and brought back.
Output InWideFloats(const Scope& scope, const OutputList& xs,
                    const std::function<Output(const OutputList&)>& f);

// The last two dimensions of each matrix exchanged, and conjugated.
Output Adjoint(const Scope& scope, const Output& x);
// Products of batches of matrices that broadcast; complex ones are conjugated where they are
// adjoined.
Output BatchMatMul(const Scope& scope, const Output& x, const Output& y, bool adjoint_x = false,
                   bool adjoint_y = false);
// Lower (upper) -1: the whole triangle.
Output BandPart(const Scope& scope, const Output& x, int64_t lower, int64_t upper);

// Zeros of `dtype` and of the shape that the vector `dims` spells.
Output Zeros(const Scope& scope, const Output& dims, DType dtype);
Output Ones(const Scope& scope, const Output& dims, DType dtype);

// An attr of the node that is differentiated. One that is not there, or of another kind, fails the
// scope.
bool BoolAttrOf(const NodeGradient& node, std::string_view name);
float FloatAttrOf(const NodeGradient& node, std::string_view name);
std::string StringAttrOf(const NodeGradient& node, std::string_view name);

// The rank of an input, if it is known before anything runs, else computed.
Output RankOf(NodeGradient& node, size_t slot);

}  // namespace tagflow

#endif  // TAGFLOW_TRANSFORM_GRADIENTS_GRADIENT_OPS_H_
