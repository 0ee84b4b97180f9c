// Gradients of calls of every op that has one, for longer: call_gradients_soak_test SECONDS [SEED].
// Prints each finding once for each op and kind.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "fuzz/gradient/call_gradients.h"
#include "fuzz/gradient/differentiable_calls.h"

namespace tagflow::fuzz {
namespace {

// The op and the first words: findings that are alike.
std::string KindOf(const std::string& problem) { return problem.substr(0, 60); }

int Soak(double seconds, uint64_t seed) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::set<std::string> kinds;
  GraphGradientCheck::Counts counts;
  GraphGradientCheck check;
  check.counts = &counts;
  uint64_t calls = 0;
  for (; std::chrono::steady_clock::now() < end; ++calls) {
    Choices choices = Choices::FromSeed(seed + calls);
    const GraphSample call = DrawDifferentiableCall(choices);
    const auto problem = CallGradientsEqualTape(call, choices, check);
    if (problem && kinds.insert(KindOf(*problem)).second) {
      std::cout << "call " << seed + calls << ": " << *problem << "\n" << std::flush;
    }
  }
  std::cout << calls << " calls, " << counts.derivatives << " derivatives, " << kinds.size()
            << " kinds of findings\n";
  return kinds.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::fuzz

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 600;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  return tagflow::fuzz::Soak(seconds, seed * 1'000'000'000);
}
