#ifndef TAGFLOW_FUZZ_KERNELS_ATTRS_H_
#define TAGFLOW_FUZZ_KERNELS_ATTRS_H_

// Attrs of a node, drawn by what the op's definition says of them, and sometimes against it.

#include <optional>

#include "fuzz/generate/choices.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {

// Nothing: the attr is left out, because it has a default or on purpose. `tame`: what the
// definition allows, and small.
std::optional<AttrValue> DrawAttr(const OpDef& op, const AttrDef& attr, bool tame,
                                  Choices& choices);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_ATTRS_H_
