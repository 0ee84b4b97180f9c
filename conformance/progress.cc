#include "conformance/progress.h"

namespace tagflow::conformance {

void Progress::Add(const CaseResult& result) {
  std::lock_guard<std::mutex> lock(mutex_);
  ++done_;
  if (IsBad(result)) ++bad_;
  const auto text = [&] {
    const std::string line = std::to_string(done_) + " of " + std::to_string(total_) + " cases";
    return bad_ > 0 ? line + ", " + std::to_string(bad_) + " bad" : line;
  };
  line_.Update(text, "  " + result.name.substr(0, kNameMost));
}

void Progress::End() {
  std::lock_guard<std::mutex> lock(mutex_);
  line_.Wipe();
}

}  // namespace tagflow::conformance
