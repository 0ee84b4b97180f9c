#include "optimized/native/loop_scalars.h"

#include <vector>

#include "optimized/native/native_types.h"

namespace tagflow::optimized {

void LoopScalars::WriteCall(IrLines& lines, uint32_t at,
                            const std::function<std::string()>& refused,
                            const std::function<void()>& cut) const {
  const Instruction& call = loop_.at(at);
  const ScalarCall& scalar = *values_.CallAt(at);
  const auto load = [&](uint32_t i) { return homes_.Load(lines, loop_.arg(call, i).slot); };
  if (scalar.kind == ScalarCall::Kind::kHandOn) {
    for (uint32_t i = 0; i < call.num_outputs; ++i) {
      homes_.Store(lines, loop_.output(call, i), load(i));
    }
    return;
  }
  if (scalar.kind == ScalarCall::Kind::kFold) {
    const auto load_or_cut = [&](size_t i) {
      if (loop_.takes_little() && i > 0 && i % kShortBlock == 0) cut();
      return load(static_cast<uint32_t>(i));
    };
    return homes_.Store(lines, loop_.output(call, 0),
                        bodies_.Fold(lines, scalar, call.n, load_or_cut));
  }
  std::vector<std::string> inputs;
  for (uint32_t i = 0; i < call.n; ++i) inputs.push_back(load(i));
  if (!scalar.refuses.empty()) lines.LeaveIf(bodies_.Refuses(lines, scalar, inputs), refused());
  homes_.Store(lines, loop_.output(call, 0), bodies_.ValueOf(lines, scalar, inputs));
}

void LoopScalars::TellCounters(IrLines& lines, uint32_t at) const {
  for (const LoopCounter& counter : values_.counters()) {
    if (counter.body != at) continue;
    const std::string type = NativeTypeOf(values_.dtype(counter.slot))->value;
    const std::string now = homes_.Load(lines, counter.slot);
    bodies_.Declare("llvm.assume", "void", "i1");
    lines.Add("call void @llvm.assume(i1 " + lines.Value("icmp sge " + type + " " + now + ", 0") +
              ")");
  }
}

}  // namespace tagflow::optimized
