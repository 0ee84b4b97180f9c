// Tested by kernels_test.cc.

#include "fuzz/kernels/stateful_kinds.h"

namespace tagflow::fuzz {
namespace {

using Elements = StatefulKind::Elements;

StatefulKind Array() {
  return {.makers = {"TensorArrayV3"},
          .first = {"TensorArrayWriteV3", "TensorArrayScatterV3"},
          .steps = {"TensorArrayWriteV3", "TensorArrayReadV3", "TensorArrayGatherV3",
                    "TensorArrayScatterV3", "TensorArrayConcatV3", "TensorArraySizeV3"},
          .last = {"TensorArrayGradV3", "TensorArrayGradWithShape"},
          .ending = {"TensorArraySizeV3", "TensorArrayGatherV3"},
          .is_array = true};
}

// An array of pieces of several lengths; or of as many gradients.
StatefulKind ArrayOfPieces() {
  return {.makers = {"TensorArrayV3"},
          .first = {"TensorArraySplitV3"},
          .steps = {"TensorArrayConcatV3", "TensorArrayReadV3", "TensorArraySizeV3"},
          .last = {"TensorArrayGradV3", "TensorArraySplitV3"},
          .ending = {"TensorArrayConcatV3"},
          .is_array = true};
}

StatefulKind List() {
  return {.makers = {"TensorListReserve", "EmptyTensorList", "TensorListFromTensor",
                     "TensorListScatterV2", "TensorListScatter", "TensorListSplit"},
          .first = {},
          .steps = {"TensorListSetItem", "TensorListGetItem", "TensorListPushBack",
                    "TensorListPopBack", "TensorListResize", "TensorListScatterIntoExistingList",
                    "TensorListConcatLists", "TensorListLength", "TensorListStack",
                    "TensorListGather", "TensorListConcatV2", "Pack", "ZerosLike", "AddN"},
          .ending = {"TensorListLength", "TensorListStack"}};
}

StatefulKind LongList() {
  return {
      .makers = {"TensorListFromTensor", "TensorListReserve"},
      .first = {"TensorListResize"},
      .steps = {"TensorListResize", "TensorListGetItem", "TensorListSetItem", "TensorListPushBack",
                "TensorListPopBack", "TensorListConcatLists", "TensorListGather"},
      .ending = {"TensorListLength", "TensorListStack"},
      .is_long = true};
}

StatefulKind Map() {
  return {.makers = {"EmptyTensorMap"},
          .first = {"TensorMapInsert"},
          .steps = {"TensorMapInsert", "TensorMapInsert", "TensorMapLookup", "TensorMapErase",
                    "TensorMapHasKey", "TensorMapStackKeys", "ZerosLike", "AddN"},
          .ending = {"TensorMapSize", "TensorMapStackKeys"}};
}

StatefulKind Optional() {
  return {.makers = {"OptionalFromValue", "OptionalNone"},
          .first = {},
          .steps = {"OptionalFromValue", "OptionalNone", "OptionalHasValue", "OptionalGetValue",
                    "ZerosLike", "AddN"},
          .ending = {"OptionalHasValue"}};
}

StatefulKind Stack() {
  return {.makers = {"StackV2"},
          .first = {"StackPushV2"},
          .steps = {"StackPushV2", "StackPushV2", "StackPopV2"},
          .last = {"StackCloseV2"},
          .ending = {"StackPopV2"}};
}

StatefulKind Variable() {
  return {
      .makers = {"VarHandleOp"},
      .first = {"AssignVariableOp"},
      .steps = {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "ReadVariableOp",
                "ResourceGather", "ResourceScatterUpdate", "ResourceScatterAdd",
                "ResourceScatterSub", "ResourceScatterMul", "ResourceScatterMin",
                "ResourceScatterMax", "VariableShape", "VarIsInitializedOp"},
      .last = {"DestroyResourceOp"},
      .ending = {"ReadVariableOp"},
      .elements = Elements::kNumbers};
}

StatefulKind Reference() {
  return {.makers = {"VariableV2", "TemporaryVariable"},
          .first = {"Assign"},
          .steps = {"Assign", "RefIdentity", "RefMerge", "IsVariableInitialized", "AssignAdd",
                    "AssignSub", "Identity", "ScatterUpdate", "ScatterAdd", "ScatterSub",
                    "ScatterMul", "ScatterMin", "ScatterMax"},
          .ending = {"Identity"},
          .elements = Elements::kNumbers,
          .is_by_reference = true};
}

StatefulKind Counter() {
  return {.makers = {"VarHandleOp"},
          .first = {"AssignVariableOp"},
          .steps = {"ResourceCountUpTo", "AssignVariableOp", "ReadVariableOp"},
          .ending = {"ResourceCountUpTo"},
          .elements = Elements::kCounter};
}

StatefulKind CounterByReference() {
  return {.makers = {"VariableV2"},
          .first = {"Assign"},
          .steps = {"CountUpTo", "Assign", "Identity"},
          .ending = {"CountUpTo"},
          .elements = Elements::kCounter,
          .is_by_reference = true};
}

}  // namespace

const std::vector<StatefulKind>& StatefulKinds() {
  static const auto& kinds = *new std::vector<StatefulKind>{
      Array(),    ArrayOfPieces(), List(),    LongList(),          Map(), Optional(), Stack(),
      Variable(), Reference(),     Counter(), CounterByReference()};
  return kinds;
}

}  // namespace tagflow::fuzz
