// Variables are constants, whoever set them: no gradient goes through what reads or changes one.
// To differentiate by a variable, differentiate by what was read of it.

#include <string>

#include "transform/gradients/families.h"

namespace tagflow {

Status RegisterStateGradients(GradientRegistry& registry) {
  for (const char* op : {"VarHandleOp",
                         "ReadVariableOp",
                         "AssignVariableOp",
                         "AssignAddVariableOp",
                         "AssignSubVariableOp",
                         "VarIsInitializedOp",
                         "DestroyResourceOp",
                         "VariableShape",
                         "Variable",
                         "VariableV2",
                         "IsVariableInitialized",
                         "CountUpTo",
                         "ResourceCountUpTo",
                         "TemporaryVariable",
                         "DestroyTemporaryVariable",
                         "Assign",
                         "AssignAdd",
                         "AssignSub",
                         "ResourceGather",
                         "ResourceGatherNd",
                         "StridedSliceAssign",
                         "ResourceStridedSliceAssign"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  }
  for (const char* change : {"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(std::string("Scatter") + change));
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(std::string("ResourceScatter") + change));
  }
  for (const char* change : {"Update", "Add", "Sub", "Min", "Max"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(std::string("ScatterNd") + change));
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(std::string("ResourceScatterNd") + change));
  }
  return Status();
}

}  // namespace tagflow
