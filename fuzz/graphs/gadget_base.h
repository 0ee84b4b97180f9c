#ifndef TAGFLOW_FUZZ_GRAPHS_GADGET_BASE_H_
#define TAGFLOW_FUZZ_GRAPHS_GADGET_BASE_H_

// What the gadgets have in common.

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
    if (choices_.Chance(15)) {
      return maker_.AddSwitch(site_.frame, site_.number, site_.truth).second;
    }
    const bool side = choices_.Chance(50);
    const auto [no, yes] =
        maker_.AddSwitch(site_.frame, site_.number, Constant(DType::kBool, side ? 1 : 0));
    return side ? no : yes;
  }

  Choices& choices_;
  GraphMaker& maker_;
  const GadgetSite& site_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GADGET_BASE_H_
