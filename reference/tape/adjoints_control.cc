// The ops of control flow pass values on; which one, the run has decided. They are the identity
// here, whatever the tags of the two sides.

#include "reference/tape/adjoint.h"

namespace tagflow::reference {
namespace {

void AddIdentity(FiringPartials& firing, size_t port, size_t slot) {
  const auto count = static_cast<size_t>(firing.output(port).num_elements());
  for (size_t i = 0; i < count; ++i) firing.Add(port, i, slot, i, 1);
}

Status Pass(FiringPartials& firing) {
  AddIdentity(firing, 0, 0);
  return Status();
}

Status Switch(FiringPartials& firing) {
  for (size_t port = 0; port < firing.num_outputs(); ++port) {
    if (firing.flows_from(port)) AddIdentity(firing, port, 0);
  }
  return Status();
}

// Its second output says which input it was.
Status Merge(FiringPartials& firing) {
  AddIdentity(firing, 0, static_cast<size_t>(ToIntegers(firing.output(1))[0]));
  return Status();
}

Status OfOlderForm(FiringPartials& firing) {
  return Unimplemented("the tape does not follow " + firing.node().op + ", a form of old");
}

void AddOlderForms(AdjointTable& table) {
  // Nothing but a name shows which array or stack an older op means.
  for (const char* use : {"Grad", "Write", "Read", "Gather", "Scatter", "Concat", "Split"}) {
    for (const char* version : {"", "V2"}) {
      table.Set(std::string("TensorArray") + use + version, OfOlderForm);
    }
  }
  for (const char* op : {"TensorArrayPack", "TensorArrayUnpack", "StackPush"}) {
    table.Set(op, OfOlderForm);
  }
}

}  // namespace

void AddControlAdjoints(AdjointTable& table) {
  for (const char* op : {"Enter", "Exit", "NextIteration", "RefEnter", "RefExit",
                         "RefNextIteration", "RefIdentity"}) {
    table.Set(op, Pass);
  }
  for (const char* op : {"Switch", "_SwitchN", "RefSwitch"}) table.Set(op, Switch);
  for (const char* op : {"Merge", "RefMerge"}) table.Set(op, Merge);
  table.Set("StackPushV2", [](FiringPartials& firing) {
    AddIdentity(firing, 0, 1);
    return Status();
  });
  // What goes through an array, a list or a map, the tape follows cell by cell; the flow of an
  // array is a number without meaning.
  for (const char* op : {"TensorArrayV3",
                         "TensorArrayGradV3",
                         "TensorArrayGradWithShape",
                         "TensorArrayWriteV3",
                         "TensorArrayReadV3",
                         "TensorArrayGatherV3",
                         "TensorArrayScatterV3",
                         "TensorArrayConcatV3",
                         "TensorArraySplitV3",
                         "TensorListPushBack",
                         "TensorListPushBackBatch",
                         "TensorListPopBack",
                         "TensorListGetItem",
                         "TensorListSetItem",
                         "TensorListFromTensor",
                         "TensorListStack",
                         "TensorListGather",
                         "TensorListScatter",
                         "TensorListScatterV2",
                         "TensorListScatterIntoExistingList",
                         "TensorListSplit",
                         "TensorListConcat",
                         "TensorListConcatV2",
                         "TensorMapInsert",
                         "TensorMapLookup",
                         "TensorMapErase",
                         "RaggedTensorToVariant",
                         "RaggedTensorFromVariant",
                         "RaggedTensorToVariantGradient",
                         "OptionalFromValue",
                         "OptionalGetValue"}) {
    table.Stop(op);
  }
  AddOlderForms(table);
  // What a table holds is a constant; and keys do not move by little.
  for (const char* op : {"LookupTableFind", "LookupTableFindV2"}) table.Stop(op);
  // What a text does not say is as constant.
  for (const char* op : {"ParseExample", "ParseExampleV2"}) table.Stop(op);
  // A variable is a constant, whoever set it.
  for (const char* op : {"Assign", "AssignAdd", "AssignSub", "RefSelect", "StridedSliceAssign",
                         "DestroyTemporaryVariable", "ScatterUpdate", "ScatterAdd", "ScatterSub",
                         "ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax", "ScatterNdUpdate",
                         "ScatterNdAdd", "ScatterNdSub", "ScatterNdMin", "ScatterNdMax"}) {
    table.Stop(op);
  }
}

}  // namespace tagflow::reference
