#include "fuzz/kernels/stateful_sequence.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generate/swarm.h"
#include "fuzz/kernels/call_graph.h"
#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/op_families.h"
#include "fuzz/kernels/stateful_elements.h"
#include "fuzz/kernels/stateful_kinds.h"
#include "fuzz/kernels/values.h"

namespace tagflow::fuzz {
namespace {

using Elements = StatefulKind::Elements;

constexpr int kRoom = 9;  // of a stack or a list, as a rule

class StatefulSequence {
 public:
  explicit StatefulSequence(Choices& choices)
      : choices_(choices),
        call_(choices),
        kind_(choices.Of(StatefulKinds())),
        steps_(kind_.steps.size(), choices),
        elements_(kind_, choices) {}

  GraphSample Make() {
    constexpr size_t kRuns = 2;
    const std::string_view maker = choices_.Of(kind_.makers);
    const bool has_first = !kind_.first.empty() && choices_.Chance(kNearlyAlways);
    const std::string_view first = has_first ? choices_.Of(kind_.first) : maker;
    if (TakesPieces(StandardOp(first))) elements_.LetDiffer();
    Step(maker, kCalled);
    if (has_first) Step(first);
    StepSeveralTimes();
    if (kind_.elements == Elements::kNumbers && choices_.Chance(kSeldom)) {
      BeginAnother();
      StepSeveralTimes();
    }
    for (const std::string_view op : kind_.ending) Step(op);
    GraphSample sample = call_.Take({call_.node(last_).name}, kRuns);
    Redraw(sample.runs.back());
    sample.in_order = true;
    return sample;
  }

 private:
  void StepSeveralTimes() {
    for (int steps = choices_.Between(kSeveral); steps > 0; --steps) {
      const bool is_last = !kind_.last.empty() && choices_.Chance(kSeldom);
      Step(is_last ? choices_.Of(kind_.last) : steps_.Of(kind_.steps, choices_));
    }
  }

  // The next op, after all others.
  void Step(std::string_view name, const std::string& as = "") {
    static constexpr struct {
      std::string_view op;
      void (StatefulSequence::*step)();
    } kOthers[] = {{"RefMerge", &StatefulSequence::GoByBranch},
                   {"Pack", &StatefulSequence::Pack},
                   {"ZerosLike", &StatefulSequence::Zero},
                   {"AddN", &StatefulSequence::AddUp}};
    for (const auto& [op, step] : kOthers) {
      if (op == name) return (this->*step)();
    }
    const OpDef& op = StandardOp(name);
    const NodeId id = call_.AddNode(as.empty() ? call_.NewName() : as, op.name, {});
    for (const AttrDef& attr : op.attrs) SetAttr(id, attr);
    elements_.DrawPlaces(op);
    std::vector<OutputRef> inputs;
    for (const ArgDef& arg : op.inputs) inputs.push_back(Input(arg, op));
    call_.graph().mutable_node(id).inputs = std::move(inputs);
    Append(id);
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      Take(op.outputs[i], {id, static_cast<int32_t>(i)});
    }
  }
  void Append(NodeId id) {
    if (last_ != NodeId::kNone) call_.graph().mutable_node(id).control_inputs = {last_};
    last_ = id;
  }

  // Another variable of the same name, which is the same one if all else is the same.
  void BeginAnother() {
    Graph& graph = call_.graph();
    const Node first = graph.node(graph.Find(kCalled));
    const bool is_temporary = first.op == "TemporaryVariable";
    const bool is_handle = !kind_.is_by_reference;
    if (is_temporary && choices_.Chance(kMostly)) Step("DestroyTemporaryVariable");
    if (is_handle && choices_.Chance(kSometimes)) Step("DestroyResourceOp");
    if (choices_.Chance(kSometimes)) elements_.RedrawDType();
    const NodeId other = call_.AddNode(call_.NewName(), first.op, {});
    graph.mutable_node(other).attrs = first.attrs;
    graph.SetAttr(other, "dtype", elements_.dtype());
    if (choices_.Chance(kSometimes)) graph.SetAttr(other, "shape", PartialShape());
    for (const NodeId id : {first.id, other}) {
      if (is_temporary) break;
      graph.SetAttr(id, "shared_name", std::string("shared"));
      if (choices_.Chance(kSeldom)) graph.SetAttr(id, "container", std::string("apart"));
    }
    Append(other);
    if (!is_handle || choices_.Chance(kEvenly)) kept_.clear();  // the type may be another
    kept_.push_back({other, 0});
    if (choices_.Chance(kEvenly)) Step(choices_.Of(kind_.first));
  }

  // The second run has other places: what failed may do, and the other way round.
  void Redraw(NamedTensors& feeds) {
    for (auto& [name, value] : feeds) {
      const bool is_index = value.dtype() == DType::kInt32 && value.num_elements() == 1;
      if (!is_index || !choices_.Chance(kEvenly)) continue;
      Tensor other = *Tensor::Allocate(DType::kInt32, value.dims());
      *other.mutable_data<int32_t>() = choices_.Between(-1, kElements + 1);
      value = std::move(other);
    }
  }

  // A list twice in a tensor, and one of them out of it again.
  void Pack() {
    constexpr int kLists = 2;
    const OutputRef list = LatestOf(lists_);
    const NodeId packed = call_.Add("Pack", {list, list}, DType::kVariant).node;
    const NodeId unpacked = call_.Add("Unpack", {{packed, 0}}, DType::kVariant).node;
    call_.graph().SetAttr(packed, "N", kLists);
    call_.graph().SetAttr(unpacked, "num", kLists);
    Append(packed);
    last_ = unpacked;
    lists_.push_back({unpacked, static_cast<int>(choices_.Below(kLists))});
  }
  // The sum of two lists, maps or optionals, which may differ; or one of zeros.
  void AddUp() {
    const OutputRef sum = call_.Add("AddN", {LatestOf(lists_), LatestOf(lists_)}, DType::kVariant);
    call_.graph().SetAttr(sum.node, "N", 2);
    Append(sum.node);
    lists_.push_back(sum);
  }
  void Zero() {
    const OutputRef zeros = call_.Add("ZerosLike", {LatestOf(lists_)}, DType::kVariant);
    Append(zeros.node);
    lists_.push_back(zeros);
  }

  // A reference through both sides of a branch; or what is read there, after it changed once more.
  void GoByBranch() {
    const OutputRef taken = call_.Given(Tensor::Scalar<bool>(choices_.Chance(kEvenly)));
    const NodeId branch = call_.Add("RefSwitch", {Kept(), taken}, elements_.dtype()).node;
    Append(branch);
    const bool is_read = choices_.Chance(kEvenly);
    if (is_read) Step("Assign");
    const OutputRef merged =
        call_.Add(is_read ? "Merge" : "RefMerge", {{branch, 0}, {branch, 1}}, elements_.dtype());
    call_.graph().SetAttr(merged.node, "N", 2);
    if (is_read) Append(merged.node);
    last_ = merged.node;
    if (is_read) {
      call_.Fetch(merged);
    } else {
      kept_.push_back(merged);
    }
  }

  void SetAttr(NodeId id, const AttrDef& attr) {
    Graph& graph = call_.graph();
    const auto set = [&](const auto& value) { graph.SetAttr(id, attr.name, value); };
    const std::string& name = attr.name;
    const bool is_index_type = name == "shape_type" || name == "Tshape" || name == "Tindices" ||
                               name == "out_type" || name == "key_dtype";
    if (attr.kind == AttrKind::kType) set(is_index_type ? DType::kInt32 : elements_.dtype());
    AttrList list;
    if (attr.kind == AttrKind::kListType) {
      list.types = {ArgType{elements_.dtype(), false}};
      set(list);
    }
    if (attr.kind == AttrKind::kListShape) {
      list.shapes = {choices_.Chance(kEvenly) ? PartialShape() : PartialShape(elements_.shape())};
      set(list);
    }
    if (attr.kind == AttrKind::kShape) set(elements_.Declared(*call_.node(id).def, name));
    if (attr.kind == AttrKind::kInt && name == "limit") set(choices_.Between(kUpToFour));
    if (name == "var_name" || name == "source") set(std::string("the_same"));
    // Whether an array may grow, and is taken apart as it is read, and what else is not usual.
    if (attr.kind != AttrKind::kBool) return;
    if (name != "use_locking" && name != "validate_indices") {
      set(choices_.Chance(name == "dynamic_size" ? kMostly : kSometimes));
    }
  }

  OutputRef Input(const ArgDef& arg, const OpDef& op) {
    if (arg.is_ref || arg.dtype == DType::kResource) return Kept();
    if (arg.dtype == DType::kVariant) return LatestOf(lists_);
    if (kind_.is_by_reference && op.inputs.size() == 1) return Kept();
    switch (arg.role) {
      case ArgRole::kScalar:
        if (arg.dtype == DType::kFloat) return flow_;
        return Whole(elements_.place());
      case ArgRole::kIndices:
        return Wholes<int32_t>(elements_.places());
      case ArgRole::kElementShape:
        return choices_.Chance(kSeldom) ? Whole(-1) : Wholes<int32_t>(elements_.ShapeFor(op));
      case ArgRole::kCountOrAny:
        return Whole(choices_.Chance(kMostly) ? kRoom : choices_.Between(-1, kElements));
      case ArgRole::kCount:
        return Whole(choices_.Chance(kind_.is_long ? kSeldom : kEvenly)
                         ? elements_.count()
                         : choices_.Between(0, elements_.count() + 1));
      default:
        break;
    }
    if (arg.dtype == DType::kInt32) {
      const int count = choices_.Between(kOneOrTwo);
      elements_.Prepend(count);
      return Wholes<int32_t>({count});
    }
    if (arg.dtype == DType::kInt64)
      return Wholes<int64_t>(TakesPieces(op) ? elements_.lengths() : Numbers());
    if (kind_.elements != Elements::kCounter) {
      return call_.Given(DrawTensor(elements_.dtype(), elements_.ValueDims(op), choices_));
    }
    const int64_t count = choices_.Between(kUpToFour);
    return elements_.dtype() == DType::kInt32 ? Whole(count)
                                              : call_.Given(Tensor::Scalar<int64_t>(count));
  }

  // What an op gives: the state after it, or what was read.
  void Take(const ArgDef& output, OutputRef from) {
    if (output.dtype == DType::kVariant) {
      lists_.push_back(from);
    } else if (output.dtype == DType::kResource) {
      kept_.push_back(from);
      elements_.Forget();
    } else if (output.is_ref) {
      const bool has_value = TakesElements(*call_.node(from.node).def);
      kept_.push_back(from);
      if (has_value && choices_.Chance(kSometimes)) call_.Fetch(from);
    } else if (kind_.is_array && output.dtype == DType::kFloat) {
      flow_ = from;
    } else {
      call_.Fetch(from);
    }
  }

  // A handle, or a reference as the variable or one of the ops handed it on.
  OutputRef Kept() { return LatestOf(kept_); }
  OutputRef LatestOf(const std::vector<OutputRef>& made) {
    return choices_.Chance(kMostly) ? made.back() : choices_.Of(made);
  }

  OutputRef Whole(int64_t number) {
    return call_.Given(Tensor::Scalar<int32_t>(static_cast<int32_t>(number)));
  }
  template <typename T>
  OutputRef Wholes(const Numbers& numbers) {
    return call_.Given(Tensor::Vector<T>(std::vector<T>(numbers.begin(), numbers.end())));
  }

  Choices& choices_;
  CallGraph call_;
  const StatefulKind& kind_;
  const Swarm steps_;  // of the kind, those that this sequence has
  StatefulElements elements_;
  NodeId last_ = NodeId::kNone;
  std::vector<OutputRef> kept_;   // handles or references
  std::vector<OutputRef> lists_;  // … or lists, maps or optionals
  OutputRef flow_;                // of an array
};

}  // namespace

GraphSample DrawStatefulSequence(Choices& choices) { return StatefulSequence(choices).Make(); }

}  // namespace tagflow::fuzz
