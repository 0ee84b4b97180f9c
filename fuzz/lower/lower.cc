#include "fuzz/lower/lower.h"

#include "fuzz/lower/lowering.h"

namespace tagflow::fuzz {

Result<Lowered> Lower(const Program& program) { return Lowering(program).Lower(); }

std::vector<std::pair<std::string, Tensor>> FeedsOf(const Program& program, const Lowered& lowered,
                                                    int run) {
  std::vector<std::pair<std::string, Tensor>> feeds;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    feeds.emplace_back(lowered.feeds[i], program.inputs[i].feeds[static_cast<size_t>(run)]);
  }
  return feeds;
}

}  // namespace tagflow::fuzz
