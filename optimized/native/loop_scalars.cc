#include "optimized/native/loop_scalars.h"

#include <vector>

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
  if (scalar.kind == ScalarCall::Kind::kFold) return WriteFold(lines, call, scalar, cut);
  std::vector<std::string> inputs;
  for (uint32_t i = 0; i < call.n; ++i) inputs.push_back(load(i));
  if (!scalar.refuses.empty()) lines.LeaveIf(bodies_.Refuses(lines, scalar, inputs), refused());
  homes_.Store(lines, loop_.output(call, 0), bodies_.ValueOf(lines, scalar, inputs));
}

void LoopScalars::WriteFold(IrLines& lines, const Instruction& call, const ScalarCall& scalar,
                            const std::function<void()>& cut) const {
  const auto load = [&](uint32_t i) { return homes_.Load(lines, loop_.arg(call, i).slot); };
  std::string folded = load(0);
  for (uint32_t i = 1; i < call.n; ++i) {
    if (loop_.takes_little() && i % kShortBlock == 0) cut();
    folded = bodies_.Body(lines, scalar, {folded, load(i)});
  }
  homes_.Store(lines, loop_.output(call, 0), folded);
}

}  // namespace tagflow::optimized
