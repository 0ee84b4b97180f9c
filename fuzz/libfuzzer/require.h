#ifndef TAGFLOW_FUZZ_LIBFUZZER_REQUIRE_H_
#define TAGFLOW_FUZZ_LIBFUZZER_REQUIRE_H_

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tagflow::fuzz {

// How a target tells libFuzzer that it found something: it ends the process.
inline void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LIBFUZZER_REQUIRE_H_
