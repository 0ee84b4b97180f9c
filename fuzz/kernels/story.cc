// Tested by kernels_test.cc.

#include "fuzz/kernels/story.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/kernels/call_base.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/values.h"
#include "graph/op_def.h"

namespace tagflow::fuzz {
namespace {

struct Turn {
  std::string_view op;
  int weight;
};
using Turns = std::vector<Turn>;

// What a story can be about.
struct Matter {
  Turns makers;
  Turns first;   // one of them comes first, if any
  Turns turns;   // of these some follow
  Turns ending;  // and at the end all of these
  bool is_numeric = false;
  bool counts = false;   // of one small number
  bool is_long = false;  // of more elements than an engine keeps in one place
  int weight = 4;
};

Matter Array() {
  return {{{"TensorArrayV3", 1}},
          {{"TensorArrayWriteV3", 3}, {"TensorArrayScatterV3", 3}, {"TensorArraySplitV3", 2}},
          {{"TensorArrayWriteV3", 6},
           {"TensorArrayReadV3", 3},
           {"TensorArrayGatherV3", 3},
           {"TensorArrayScatterV3", 3},
           {"TensorArrayConcatV3", 3},
           {"TensorArrayGradV3", 3},
           {"TensorArrayGradWithShape", 2},
           {"TensorArraySizeV3", 1}},
          {{"TensorArraySizeV3", 1}, {"TensorArrayGatherV3", 1}}};
}

Matter List() {
  return {{{"TensorListReserve", 4},
           {"EmptyTensorList", 2},
           {"TensorListFromTensor", 2},
           {"TensorListScatterV2", 2},
           {"TensorListScatter", 1},
           {"TensorListSplit", 2}},
          {},
          {{"TensorListSetItem", 6},
           {"TensorListGetItem", 3},
           {"TensorListPushBack", 4},
           {"TensorListPopBack", 3},
           {"TensorListResize", 1},
           {"TensorListScatterIntoExistingList", 2},
           {"TensorListConcatLists", 1},
           {"TensorListLength", 1},
           {"TensorListStack", 2},
           {"TensorListGather", 2},
           {"TensorListConcatV2", 2},
           {"Pack", 2},
           {"ZerosLike", 1},
           {"AddN", 2}},
          {{"TensorListLength", 1}, {"TensorListStack", 1}}};
}

Matter LongList() {
  Matter list{{{"TensorListFromTensor", 3}, {"TensorListReserve", 1}},
              {{"TensorListResize", 1}},
              {{"TensorListResize", 6},
               {"TensorListGetItem", 3},
               {"TensorListSetItem", 2},
               {"TensorListPushBack", 1},
               {"TensorListPopBack", 1},
               {"TensorListConcatLists", 1},
               {"TensorListGather", 1}},
              {{"TensorListLength", 1}, {"TensorListStack", 1}}};
  list.is_long = true;
  list.weight = 1;
  return list;
}

Matter Optional() {
  Matter optional{{{"OptionalFromValue", 4}, {"OptionalNone", 1}},
                  {},
                  {{"OptionalFromValue", 3},
                   {"OptionalNone", 1},
                   {"OptionalHasValue", 2},
                   {"OptionalGetValue", 5},
                   {"ZerosLike", 1},
                   {"AddN", 3}},
                  {{"OptionalHasValue", 1}}};
  optional.weight = 1;
  return optional;
}

Matter Stack() {
  return {{{"StackV2", 1}},
          {{"StackPushV2", 1}},
          {{"StackPushV2", 12}, {"StackPopV2", 4}, {"StackCloseV2", 1}},
          {{"StackPopV2", 1}}};
}

Matter Variable() {
  return {{{"VarHandleOp", 1}},
          {{"AssignVariableOp", 1}},
          {{"AssignVariableOp", 2},
           {"AssignAddVariableOp", 3},
           {"AssignSubVariableOp", 2},
           {"ReadVariableOp", 4},
           {"ResourceGather", 2},
           {"ResourceScatterUpdate", 2},
           {"ResourceScatterAdd", 2},
           {"ResourceScatterSub", 1},
           {"ResourceScatterMul", 1},
           {"ResourceScatterMin", 1},
           {"ResourceScatterMax", 1},
           {"VariableShape", 1},
           {"VarIsInitializedOp", 1},
           {"DestroyResourceOp", 1}},
          {{"ReadVariableOp", 1}},
          true};
}

Matter Reference() {
  return {{{"VariableV2", 2}, {"TemporaryVariable", 1}},
          {{"Assign", 1}},
          {{"Assign", 2},
           {"RefIdentity", 1},
           {"RefMerge", 3},
           {"IsVariableInitialized", 3},
           {"AssignAdd", 3},
           {"AssignSub", 2},
           {"Identity", 4},
           {"ScatterUpdate", 2},
           {"ScatterAdd", 2},
           {"ScatterSub", 1},
           {"ScatterMul", 1},
           {"ScatterMin", 1},
           {"ScatterMax", 1}},
          {{"Identity", 1}},
          true};
}

Matter Counter() {
  Matter counter{{{"VarHandleOp", 1}},
                 {{"AssignVariableOp", 1}},
                 {{"ResourceCountUpTo", 6}, {"AssignVariableOp", 1}, {"ReadVariableOp", 1}},
                 {{"ResourceCountUpTo", 1}}};
  counter.counts = true;
  counter.weight = 2;
  return counter;
}

Matter CountedReference() {
  Matter counter = Counter();
  counter.makers = {{"VariableV2", 1}};
  counter.first = {{"Assign", 1}};
  counter.turns = {{"CountUpTo", 6}, {"Assign", 1}, {"Identity", 1}};
  counter.ending = {{"CountUpTo", 1}};
  return counter;
}

const std::vector<Matter>& Matters() {
  static const auto& matters =
      *new std::vector<Matter>{Array(),    List(),      LongList(), Optional(),        Stack(),
                               Variable(), Reference(), Counter(),  CountedReference()};
  return matters;
}

constexpr int kRows = 3;  // of variables, and of lists as a rule

int DrawRows(bool is_many, Choices& choices) {
  static const std::vector<int> kMany = {20, 33, 40, 64, 70, 100};
  return is_many ? choices.Of(kMany) : kRows;
}

bool StartsWith(const std::string& text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto begin) { return text.starts_with(begin); });
}

class Story : CallBase {
 public:
  explicit Story(Choices& choices)
      : CallBase(choices),
        matter_(choices.ByWeight(Matters())),
        row_(DrawRow(choices)),
        rows_(DrawRows(matter_.is_long, choices)) {
    static const std::vector<DType> kAny = {DType::kFloat, DType::kInt32, DType::kFloat,
                                            DType::kInt64, DType::kBool,  DType::kDouble,
                                            DType::kInt8,  DType::kString};
    static const std::vector<DType> kNumbers = {DType::kFloat, DType::kInt32, DType::kDouble,
                                                DType::kInt64, DType::kFloat, DType::kInt8};
    static const std::vector<DType> kWholes = {DType::kInt32, DType::kInt64};
    dtype_ = choices.Of(matter_.counts ? kWholes : matter_.is_numeric ? kNumbers : kAny);
    differs_in_rows_ = choices.Chance(kSometimes);
  }

  GraphSample Make() {
    std::string_view first;
    if (!matter_.first.empty() && choices_.Chance(kNearlyAlways))
      first = choices_.ByWeight(matter_.first).op;
    const bool splits = first == "TensorArraySplitV3" && choices_.Chance(kEvenly);
    if (splits) {
      SplitAndJoin();
    } else {
      GoOn(first);
    }
    sample_.targets = {graph().node(last_).name};
    sample_.runs = {feeds_, Redrawn()};
    sample_.in_order = true;
    return std::move(sample_);
  }

 private:
  using Numbers = std::vector<int64_t>;

  // The shape of an element.
  static Dims DrawRow(Choices& choices) {
    static const std::vector<Dims> kShapes = {{}, {2}, {1}, {2, 3}, {0}, {1, 2}};
    return choices.Of(kShapes);
  }

  void GoOn(std::string_view first) {
    Do(choices_.ByWeight(matter_.makers).op, kCalled);
    if (!first.empty()) Do(first);
    DoSome();
    if (matter_.is_numeric && choices_.Chance(kSeldom)) {
      BeginAnother();
      DoSome();
    }
    for (const Turn& turn : matter_.ending) {
      const bool joins = turn.op == "TensorListStack" && choices_.Chance(kEvenly);
      Do(joins ? "TensorListConcatV2" : turn.op);
    }
  }

  // Pieces of several lengths; or as many gradients.
  void SplitAndJoin() {
    differs_in_rows_ = true;
    Do("TensorArrayV3", kCalled);
    Do("TensorArraySplitV3");
    if (choices_.Chance(kEvenly)) Do("TensorArrayGradV3");
    Do("TensorArrayConcatV3");
    if (choices_.Chance(kEvenly)) DoSome();
  }

  void DoSome() {
    for (int turns = choices_.Between(1, 7); turns > 0; --turns) {
      Do(choices_.ByWeight(matter_.turns).op);
    }
  }

  // Another variable of the same name, which is the same one if all else is the same.
  void BeginAnother() {
    const Node first = graph().node(graph().Find(kCalled));
    if (first.op == "TemporaryVariable" && choices_.Chance(kMostly)) Do("DestroyTemporaryVariable");
    if (first.op == "VarHandleOp" && choices_.Chance(kSometimes)) Do("DestroyResourceOp");
    static const std::vector<DType> kTypes = {DType::kFloat, DType::kInt32};
    if (choices_.Chance(kSometimes)) dtype_ = choices_.Of(kTypes);
    const NodeId other = *graph().AddNode(NewName(), first.op);
    graph().mutable_node(other).attrs = first.attrs;
    graph().SetAttr(other, "dtype", dtype_);
    if (choices_.Chance(kSometimes)) graph().SetAttr(other, "shape", PartialShape());
    for (const NodeId id : {first.id, other}) {
      if (first.op == "TemporaryVariable") break;
      graph().SetAttr(id, "shared_name", std::string("shared"));
      if (choices_.Chance(kSeldom)) graph().SetAttr(id, "container", std::string("apart"));
    }
    graph().mutable_node(other).control_inputs = {last_};
    last_ = other;
    if (first.op != "VarHandleOp" || choices_.Chance(kEvenly))
      kept_.clear();  // the type may be another
    kept_.push_back({other, 0});
    if (choices_.Chance(kEvenly)) Do(choices_.ByWeight(matter_.first).op);
  }

  // The feeds of the second run: what failed may do, and the other way round.
  NamedTensors Redrawn() {
    NamedTensors feeds = feeds_;
    for (auto& [name, value] : feeds) {
      const bool is_index = value.dtype() == DType::kInt32 && value.num_elements() == 1;
      if (!is_index || !choices_.Chance(kEvenly)) continue;
      Tensor other = *Tensor::Allocate(DType::kInt32, value.dims());
      *other.mutable_data<int32_t>() = choices_.Between(-1, 4);
      value = std::move(other);
    }
    return feeds;
  }

  // The next op, after all others.
  void Do(std::string_view name, const std::string& as = "") {
    if (name == "RefMerge") return GoByBranch();
    if (name == "Pack") return GoPacked();
    if (name == "AddN" || name == "ZerosLike") return GoSummed(std::string(name));
    const OpDef& op = *OpRegistry::Standard().Find(name);
    const NodeId id = *graph().AddNode(as.empty() ? NewName() : as, op.name);
    for (const AttrDef& attr : op.attrs) SetAttr(id, attr);
    Plan(op.name);
    std::vector<OutputRef> inputs;
    for (const ArgDef& arg : op.inputs) inputs.push_back(Input(arg, op.name));
    Node& node = graph().mutable_node(id);
    node.inputs = std::move(inputs);
    if (last_ != NodeId::kNone) node.control_inputs = {last_};
    last_ = id;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      Take(op.outputs[i], {id, static_cast<int32_t>(i)});
    }
  }

  // A list twice in a tensor, and one of them out of it again.
  void GoPacked() {
    const OutputRef list = LatestOf(lists_);
    const NodeId packed = *graph().AddNode(NewName(), "Pack");
    graph().mutable_node(packed).inputs = {list, list};
    graph().mutable_node(packed).control_inputs = {last_};
    const NodeId unpacked = *graph().AddNode(NewName(), "Unpack");
    graph().mutable_node(unpacked).inputs = {{packed, 0}};
    for (const NodeId id : {packed, unpacked}) graph().SetAttr(id, "T", DType::kVariant);
    graph().SetAttr(packed, "N", 2);
    graph().SetAttr(unpacked, "num", 2);
    last_ = unpacked;
    lists_.push_back({unpacked, choices_.Chance(kEvenly) ? 1 : 0});
  }

  // The sum of two lists or optionals, which may differ; or one of zeros.
  void GoSummed(const std::string& op) {
    const bool is_sum = op == "AddN";
    std::vector<OutputRef> terms = {LatestOf(lists_)};
    if (is_sum) terms.push_back(LatestOf(lists_));
    const NodeId sum = Add(op, terms, DType::kVariant);
    if (is_sum) graph().SetAttr(sum, "N", 2);
    graph().mutable_node(sum).control_inputs = {last_};
    last_ = sum;
    lists_.push_back({sum, 0});
  }

  // A reference through both sides of a branch.
  void GoByBranch() {
    const OutputRef truth = Fed(Tensor::Scalar<bool>(choices_.Chance(kEvenly)));
    const NodeId branch = *graph().AddNode(NewName(), "RefSwitch");
    graph().mutable_node(branch).inputs = {Kept(), truth};
    graph().mutable_node(branch).control_inputs = {last_};
    graph().SetAttr(branch, "T", dtype_);
    last_ = branch;
    const bool reads = choices_.Chance(kEvenly);  // and only after it changed once more
    if (reads) Do("Assign");
    const NodeId merge = *graph().AddNode(NewName(), reads ? "Merge" : "RefMerge");
    graph().mutable_node(merge).inputs = {{branch, 0}, {branch, 1}};
    graph().SetAttr(merge, "N", 2);
    graph().SetAttr(merge, "T", dtype_);
    if (reads) graph().mutable_node(merge).control_inputs = {last_};
    last_ = merge;
    if (reads) {
      Fetch({merge, 0});
    } else {
      kept_.push_back({merge, 0});
    }
  }

  void SetAttr(NodeId id, const AttrDef& attr) {
    static const std::vector<std::string_view> kIndexTypes = {"shape_type", "Tshape", "Tindices",
                                                              "out_type"};
    if (attr.kind == AttrKind::kType) {
      const bool is_index = std::ranges::find(kIndexTypes, attr.name) != kIndexTypes.end();
      graph().SetAttr(id, attr.name, is_index ? DType::kInt32 : dtype_);
    }
    if (attr.kind == AttrKind::kListType) {
      AttrList types;
      types.types = {ArgType{dtype_, false}};
      graph().SetAttr(id, attr.name, types);
    }
    if (attr.kind == AttrKind::kListShape) {
      AttrList shapes;
      shapes.shapes = {choices_.Chance(kEvenly) ? PartialShape() : PartialShape(row_)};
      graph().SetAttr(id, attr.name, shapes);
    }
    if (attr.kind == AttrKind::kShape) graph().SetAttr(id, attr.name, Declared(id, attr.name));
    if (attr.name == "var_name") graph().SetAttr(id, attr.name, std::string("temporary"));
    if (attr.name == "limit") graph().SetAttr(id, attr.name, choices_.Between(0, 4));
    if (attr.name == "source") graph().SetAttr(id, attr.name, std::string("gradients"));
    if (attr.name == "dynamic_size") graph().SetAttr(id, attr.name, choices_.Chance(kMostly));
    if (attr.name == "clear_after_read")
      graph().SetAttr(id, attr.name, choices_.Chance(kSometimes));
    if (attr.name == "resize_if_index_out_of_bounds") {
      graph().SetAttr(id, attr.name, choices_.Chance(kSometimes));
    }
    if (attr.name == "identical_element_shapes") {
      graph().SetAttr(id, attr.name, choices_.Chance(kSometimes));
    }
    if (attr.name == "validate_shape") graph().SetAttr(id, attr.name, choices_.Chance(kEvenly));
  }

  // Of elements, of elements but for their first dimension, or of a variable.
  PartialShape Declared(NodeId id, const std::string& attr) {
    const bool must = graph().node(id).op == "TemporaryVariable";
    if (!must && choices_.Chance(kSometimes)) return PartialShape();
    if (matter_.counts) return PartialShape::Scalar();
    Dims dims = row_;
    if (attr == "shape") {
      dims.insert(dims.begin(), choices_.Chance(kNearlyAlways) ? kRows : 2);
    } else if (attr == "element_shape_except0" && !dims.empty()) {
      dims.erase(dims.begin());
    } else if (differs_in_rows_) {
      if (dims.empty() || choices_.Chance(kEvenly)) return PartialShape();
      dims[0] = PartialShape::kUnknownDim;
    }
    if (!must && !dims.empty() && choices_.Chance(kSeldom)) {
      dims[choices_.Below(static_cast<uint32_t>(dims.size()))] = PartialShape::kUnknownDim;
    }
    return PartialShape(dims);
  }

  // How many rows an op is given, where they go, and how they are cut.
  void Plan(const std::string& op) {
    places_.clear();
    lengths_.clear();
    const bool writes_once = StartsWith(op, {"TensorArrayWrite", "TensorArrayScatter"});
    const bool reads = StartsWith(op, {"TensorArrayGather", "TensorArrayRead", "TensorListGather"});
    const bool fills = op == "TensorArraySplitV3" && choices_.Chance(kMostly);
    const int most = reads ? 4 : 3;
    const int count =
        op == "TensorArrayWriteV3" ? 1 : choices_.Between(fills ? kRows : reads, most);
    for (int i = 0; i < count; ++i) {
      const int64_t place = writes_once ? Unwritten() : reads ? Written() : AnyPlace();
      const bool is_new = std::ranges::find(places_, place) == places_.end();
      if (is_new || choices_.Chance(reads ? kEvenly : kSometimes)) places_.push_back(place);
      lengths_.push_back(choices_.Between(0, 2));
    }
    if (writes_once) written_.insert(written_.end(), places_.begin(), places_.end());
    if (op == "TensorArraySplitV3") {
      for (int i = 0; i < count; ++i) written_.push_back(i);
    }
  }
  int64_t AnyPlace() {
    return choices_.Chance(kNearlyAlways) ? choices_.Below(static_cast<uint32_t>(rows_))
                                          : choices_.Between(-1, 2 * rows_);
  }
  int64_t Unwritten() {
    int64_t place = choices_.Between(0, 3);
    const bool again = choices_.Chance(kSeldom);
    while (!again && std::ranges::find(written_, place) != written_.end()) ++place;
    return place;
  }
  int64_t Written() {
    return written_.empty() || choices_.Chance(kRarely) ? AnyPlace() : choices_.Of(written_);
  }

  OutputRef Input(const ArgDef& arg, const std::string& op) {
    if (arg.is_ref || arg.dtype == DType::kResource) return Kept();
    if (arg.dtype == DType::kVariant) return LatestOf(lists_);
    const std::string& name = arg.name;
    if (name == "input") return Kept();
    if (name == "flow_in") return flow_;
    if (name == "index") return Whole(places_.empty() ? AnyPlace() : places_[0]);
    if (name == "indices") return Wholes<int32_t>(places_);
    if (name == "shape_to_prepend") return Prepended(choices_.Between(1, 2));
    if (name == "lengths") return Wholes<int64_t>(lengths_);
    if (name == "leading_dims") return Wholes<int64_t>({});
    if (name.ends_with("shape")) return ShapeOf(op);
    if (name.starts_with("max_"))
      return Whole(choices_.Chance(kMostly) ? 9 : choices_.Between(-1, 3));
    if (name == "size" || name == "num_elements") {
      return Whole(choices_.Chance(matter_.is_long ? kSeldom : kEvenly)
                       ? rows_
                       : choices_.Between(0, rows_ + 1));
    }
    if (matter_.counts) return Counted(choices_.Between(0, 4));
    return Fed(DrawTensor(dtype_, ValueDims(op), choices_));
  }

  // From here on an element is so many of what it was.
  OutputRef Prepended(int64_t count) {
    row_.insert(row_.begin(), count);
    return Wholes<int32_t>({count});
  }

  // Of elements, not of their number.
  OutputRef ShapeOf(const std::string& op) {
    const bool any_rows = op == "TensorListSplit" || op == "TensorListConcatV2";
    Numbers dims(row_.begin(), row_.end());
    if (!dims.empty() && (any_rows || differs_in_rows_)) dims[0] = -1;
    return choices_.Chance(kSeldom) ? Whole(-1) : Wholes<int32_t>(dims);
  }

  Dims ValueDims(const std::string& op) {
    Dims dims = row_;
    if (StartsWith(op, {"TensorArraySplit", "TensorListSplit"})) {
      const int64_t left = choices_.Chance(kSeldom) ? 1 : 0;
      const int64_t rows = std::accumulate(lengths_.begin(), lengths_.end(), left);
      if (dims.empty()) return {rows};
      dims[0] = rows;
      return dims;
    }
    const bool has_rows = op.find("Scatter") != op.npos || op == "TensorListFromTensor";
    if (has_rows) {
      const bool is_whole = op == "TensorListFromTensor";
      dims.insert(dims.begin(), is_whole ? rows_ : static_cast<int64_t>(places_.size()));
    } else if (matter_.is_numeric) {
      if (choices_.Chance(kRarely)) return {};
      dims.insert(dims.begin(), choices_.Chance(kNearlyAlways) ? kRows : 2);
    } else if (!dims.empty() && differs_in_rows_) {
      dims[0] = choices_.Between(0, 2);
    }
    return dims;
  }

  // What an op gives: the list after it, or what was read.
  void Take(const ArgDef& output, OutputRef from) {
    if (output.dtype == DType::kVariant) {
      lists_.push_back(from);
    } else if (output.name.starts_with("flow")) {
      flow_ = from;
    } else if (output.is_ref) {
      const std::string& op = graph().node(from.node).op;
      const bool has_value = op.find("Variable") == op.npos && op != "RefIdentity";
      kept_.push_back(from);
      if (has_value && choices_.Chance(kSometimes)) Fetch(from);
    } else if (output.dtype == DType::kResource) {
      kept_.push_back(from);
      written_.clear();
    } else {
      Fetch(from);
    }
  }

  // A handle, or a reference as the variable or one of the ops handed it on.
  OutputRef Kept() { return LatestOf(kept_); }
  OutputRef LatestOf(const std::vector<OutputRef>& made) {
    return choices_.Chance(kMostly) ? made.back() : choices_.Of(made);
  }

  OutputRef Whole(int64_t number) {
    return Fed(Tensor::Scalar<int32_t>(static_cast<int32_t>(number)));
  }
  OutputRef Counted(int64_t number) {
    return dtype_ == DType::kInt32 ? Whole(number) : Fed(Tensor::Scalar<int64_t>(number));
  }
  template <typename T>
  OutputRef Wholes(const Numbers& numbers) {
    return Fed(Tensor::Vector<T>(std::vector<T>(numbers.begin(), numbers.end())));
  }

  const Matter& matter_;
  Dims row_;  // of an element
  const int rows_;
  DType dtype_ = DType::kFloat;
  bool differs_in_rows_ = false;  // elements, in their first dimension
  NodeId last_ = NodeId::kNone;
  std::vector<OutputRef> kept_;   // handles of what the story is about, or references
  std::vector<OutputRef> lists_;  // … or lists
  OutputRef flow_;                // of an array
  Numbers written_;               // places of an array
  Numbers places_, lengths_;      // of this turn
};

}  // namespace

GraphSample DrawStory(Choices& choices) { return Story(choices).Make(); }

}  // namespace tagflow::fuzz
