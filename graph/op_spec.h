#ifndef TAGFLOW_GRAPH_OP_SPEC_H_
#define TAGFLOW_GRAPH_OP_SPEC_H_

// The notation of op definitions, as TensorFlow writes it:
//   attr := name ":" kind [">=" int] ["=" default]
//   kind := string | int | float | bool | type | shape | tensor | func
//         | numbertype | realnumbertype | quantizedtype
//         | "{" (type or group), … "}"  |  "{" 'string', … "}"  |  "list(" kind ")"
//   arg  := name ":" [attr "*"] (dtype | attr)  |  name ":" "Ref(" … ")"
// A default is written as the kind is: 'text', 3, 0.5, true, DT_FLOAT, {} or { unknown_rank: true
// }, [a, b]. Defaults of tensors and functions are not handled: no op has one.

#include <string_view>
#include <vector>

#include "graph/op_def.h"

namespace tagflow {

// Errors: INVALID_ARGUMENT saying what was expected where.
Result<AttrDef> ParseAttrSpec(std::string_view spec);

// As above; `attrs` are the op's attrs, by which a name is told from a dtype.
Result<ArgDef> ParseArgSpec(std::string_view spec, const std::vector<AttrDef>& attrs);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OP_SPEC_H_
