#ifndef TAGFLOW_CONFORMANCE_RESULT_H_
#define TAGFLOW_CONFORMANCE_RESULT_H_

// What became of one case.

#include <cstdint>
#include <string>
#include <string_view>

namespace tagflow::conformance {

enum class Verdict : uint8_t { kPass, kFail, kUnsupported, kCrash, kTimeout };

constexpr std::string_view VerdictName(Verdict verdict) {
  constexpr std::string_view kNames[] = {"PASS", "FAIL", "UNSUPPORTED", "CRASH", "TIMEOUT"};
  return kNames[static_cast<size_t>(verdict)];
}

struct CaseResult {
  std::string name;  // the case's, or the file's where the case has none
  std::string path;
  std::string about;
  Verdict verdict = Verdict::kPass;
  std::string why;       // one line; empty for a pass
  std::string expected;  // the reason listed, when this failure was expected
  double seconds = 0;
};

// Whether the run as a whole fails because of this case.
inline bool IsBad(const CaseResult& result) {
  return result.verdict != Verdict::kPass && result.verdict != Verdict::kUnsupported &&
         result.expected.empty();
}

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_RESULT_H_
