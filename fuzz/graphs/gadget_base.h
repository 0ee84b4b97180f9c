#ifndef TAGFLOW_FUZZ_GRAPHS_GADGET_BASE_H_
#define TAGFLOW_FUZZ_GRAPHS_GADGET_BASE_H_

// What the gadgets have in common.

#include <tuple>
#include <vector>

#include "fuzz/graphs/gadgets.h"

namespace tagflow::fuzz {

class Gadget {
 public:
  Gadget(Choices& choices, GraphMaker& maker, const GadgetSite& site)
      : choices_(choices), maker_(maker), site_(site) {}

 protected:
  static constexpr int kRoot = GraphMaker::kRoot;

  Value Constant(DType type, int64_t number) {
    const NodeId anchor = site_.number.output.node;
    return maker_.AddConst(site_.frame, type, number, site_.frame == kRoot ? nullptr : &anchor);
  }

  Value Chain(int frame, Value value, int length) {
    for (int i = 0; i < length; ++i) value = maker_.AddIdentity(frame, value);
    return value;
  }

  Value Sum(int frame, const Value& a, const Value& b) {
    maker_.AddOp(frame, "AddV2", {a, b}, {DType::kInt32}, {{"T", DType::kInt32}});
    return maker_.frame(frame).values.back();
  }

  // Mostly dead; now and then the predicate is not known.
  Value DeadOutside() {
    if (choices_.Chance(kSeldom)) {
      return maker_.AddSwitch(site_.frame, site_.number, site_.truth).second;
    }
    const bool side = choices_.Chance(kEvenly);
    const auto [no, yes] =
        maker_.AddSwitch(site_.frame, site_.number, Constant(DType::kBool, side ? 1 : 0));
    return side ? no : yes;
  }

  Choices& choices_;
  GraphMaker& maker_;
  const GadgetSite& site_;
};

// A loop that counts, to which the gadget adds.
class LoopGadget : public Gadget {
 public:
  using Gadget::Gadget;

 protected:
  void BeginLoop(int least_trips, int most_trips) {
    static const std::vector<int64_t> parallel = {2, 10, 1, 3};
    parallel_ = choices_.Of(parallel);
    frame_ = maker_.AddFrame(site_.frame, parallel_);
    const Value start = maker_.AddEnter(frame_, Constant(DType::kInt32, 0), false, parallel_);
    const Value limit =
        maker_.AddEnter(frame_, Constant(DType::kInt32, choices_.Between(least_trips, most_trips)),
                        true, parallel_);
    counter_ = Header(start);
    maker_.AddOp(frame_, "Less", {counter_, limit}, {DType::kBool}, {{"T", DType::kInt32}});
    maker_.AddOp(frame_, "LoopCond", {maker_.frame(frame_).values.back()}, {DType::kBool}, {});
    maker_.frame(frame_).has_loop_cond = true;
    pivot_ = maker_.frame(frame_).values.back();
    maker_.frame(frame_).pivots.push_back(pivot_.output);
    std::tie(done_, go_) = maker_.AddSwitch(frame_, counter_, pivot_);
    const NodeId body = go_.output.node;
    const Value one = maker_.AddConst(frame_, DType::kInt32, 1, &body);
    next_ = GoRound(counter_, Sum(frame_, go_, one));
    exit_ = maker_.AddExit(frame_, done_);
  }

  // The Merge of a variable, and what goes round to it.
  Value Header(const Value& start) {
    const Value hole{OutputRef(), DType::kInt32, Span::kEndless, {}};
    return maker_.AddMerge(frame_, {start, hole}, Span::kEndless);
  }
  Value GoRound(const Value& header, const Value& value) {
    const Value next = maker_.AddNext(frame_, value);
    maker_.graph.mutable_node(header.output.node).inputs[1] = next.output;
    return next;
  }

  int frame_ = 0;
  int64_t parallel_ = 1;
  Value counter_, pivot_, done_, go_, next_, exit_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GADGET_BASE_H_
