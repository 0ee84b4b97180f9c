// A step of a program, inside a function whose instructions can be counted:
//
//   count_step [PROGRAM:SIZE]
//
// The program is made ready on the engine, with one thread; its first step, which warms up, is not
// in CountedStep, its second is. Prints its name, the units of a step of that size, and the check
// values. Without a program: whether this build's instructions are those that others count, "yes"
// or the reason why not. See instructions_test.py.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "bench/engines.h"
#include "bench/programs.h"

// Only in what -fsanitize=undefined makes.
extern "C" void __ubsan_handle_out_of_bounds() __attribute__((weak));

namespace tagflow::bench {

// What it costs, with all that it calls, is what is counted: so it is neither inlined nor copied
// under another name.
__attribute__((noinline, noclone)) Status CountedStep(const Step& step) { return step().status(); }

namespace {

const char* Comparable() {
#if defined(__clang__)
  return "not compiled by g++";
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "compiled with a sanitizer";
#elif defined(__SSE3__) || !defined(__x86_64__)
  return "compiled for another processor";
#elif __GNUC__ != 12
  return "not compiled by g++ 12";
#else
  return __ubsan_handle_out_of_bounds != nullptr ? "compiled with a sanitizer" : "yes";
#endif
}

Status CountOne(const ProgramSpec& spec, int64_t size) {
  Result<Program> program = spec.make(size);
  if (!program.ok()) return program.status();
  const Result<Step> step = Prepare(*std::move(program), EngineChoice{"engine", 1});
  if (!step.ok()) return step.status();
  const Result<std::vector<Tensor>> outputs = (*step)();
  if (!outputs.ok()) return outputs.status();
  std::printf("%s %lld", std::string(spec.name).c_str(),
              static_cast<long long>(spec.units * size / spec.size));
  for (const double check : CheckValues(*outputs)) std::printf(" %.6g", check);
  std::printf("\n");
  return CountedStep(*step);
}

Status CountNamed(const std::string& word) {
  const size_t colon = word.find(':');
  const ProgramSpec* const spec = FindProgram(word.substr(0, colon));
  const int64_t size = colon == word.npos ? 0 : std::atoll(word.c_str() + colon + 1);
  if (spec == nullptr || size < 1) return InvalidArgument("'" + word + "' is no PROGRAM:SIZE");
  return CountOne(*spec, size);
}

int Main(int argc, char** argv) {
  if (argc == 1) {
    std::printf("%s\n", Comparable());
    return 0;
  }
  const Status status = CountNamed(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s: %s\n", argv[1], status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::bench

int main(int argc, char** argv) { return tagflow::bench::Main(argc, argv); }
