// Variables are constants, whoever set them: no gradient goes through what changes one to what it
// was changed by. By a variable itself one can differentiate: by the handle of a resource variable,
// which what reads it gives its gradient to (forward.h: GradientDType), and by a reference.

#include <string>

#include "transform/gradients/families.h"

namespace tagflow {
namespace {

//   handle -> value
Status ReadVariableGradient(NodeGradient& node) {
  node.Give(0, node.grad(0));
  return Status();
}

}  // namespace

Status RegisterStateGradients(GradientRegistry& registry) {
  for (const char* op : {"VarHandleOp",
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
                         "StridedSliceAssign",
                         "ResourceStridedSliceAssign",
                         "LookupTableRemoveV2"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  }
  // What a text does not say, and what a table holds, is as constant.
  for (const char* op : {"ParseExample", "ParseExampleV2"}) {
    TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(op));
  }
  for (const char* op :
       {"HashTable", "MutableHashTable", "MutableHashTableOfTensors", "LookupTableFind",
        "LookupTableInsert", "LookupTableImport", "LookupTableExport", "LookupTableSize",
        "InitializeTable", "InitializeTableFromTextFile"}) {
    for (const char* version : {"", "V2"}) {
      TAGFLOW_RETURN_IF_ERROR(registry.RegisterStop(std::string(op) + version));
    }
  }
  TAGFLOW_RETURN_IF_ERROR(registry.Register("ReadVariableOp", ReadVariableGradient));
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
