// Calls of every op, for longer: kernels_soak_test SECONDS [SEED] [OP]. Prints each finding once
// for each op and kind; under --config=asan what crashes ends it, and the last line says where.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "fuzz/kernels/kernel_call.h"
#include "fuzz/kernels/kernel_property.h"

namespace tagflow::fuzz {
namespace {

// The op and the first words: findings that are alike.
std::string KindOf(const std::string& problem) { return problem.substr(0, 60); }

int Soak(double seconds, uint64_t seed, const OpDef* op) {
  std::set<std::string> kinds;
  const auto begin = std::chrono::steady_clock::now();
  uint64_t calls = 0;
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (; elapsed() < seconds; ++calls) {
    Choices choices = Choices::FromSeed(seed + calls);
    const GraphSample sample = op == nullptr ? DrawKernelCall(choices) : CallOf(*op, choices);
    if (const char* log = std::getenv("TAGFLOW_LAST_CALL")) {
      std::ofstream(log) << seed + calls << "\n" << ToText(sample);
    }
    const double before = elapsed();
    Problem problem = BrokenPromise(sample, CallOnReference(sample));
    if (!problem && elapsed() - before > 2) problem = "slow: " + ToText(sample);
    if (problem && kinds.insert(KindOf(*problem)).second) {
      std::cout << "call " << seed + calls << ": " << *problem << "\n" << std::flush;
    }
  }
  std::cout << calls << " calls, " << kinds.size() << " kinds of findings\n";
  return kinds.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::fuzz

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 600;
  const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const tagflow::OpDef* op = argc > 3 ? tagflow::OpRegistry::Standard().Find(argv[3]) : nullptr;
  return tagflow::fuzz::Soak(seconds, seed * 1'000'000'000, op);
}
