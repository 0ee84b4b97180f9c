#ifndef TAGFLOW_OPTIMIZED_NATIVE_COMPILE_COSTS_H_
#define TAGFLOW_OPTIMIZED_NATIVE_COMPILE_COSTS_H_

// What compiling is expected to cost and what interpreting does, in nanoseconds: when a loop
// becomes machine code.
//
// An estimate by the number of instructions is wrong where branches lead around most of them: so
// some steps are measured.
//
// Tested by native_loops_test.cc.

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tagflow::optimized {

// An instruction, interpreted: as little as it takes on a quick machine, so that nowhere a loop is
// compiled too soon. (4.4 on a Xeon of 2023.)
constexpr double kInterpretedNs = 2;
// A loop is compiled once it has run interpreted for so many times as long as compiling takes: a
// program that ends right then has lost less than a tenth, of which asking for machine code is a
// part.
constexpr double kPaysAfter = 15;
// The same where an idle thread compiles: the step only writes the loop as text.
constexpr double kPaysBeside = 1;

// A loop or a piece that is to be compiled.
struct CompileWork {
  bool takes_little = false;  // LoopToCompile::takes_little
  uint32_t instructions = 0;
  uint32_t accesses = 0;  // of them: those that put or take an element
  uint32_t tensors = 0;   // that machine code may have the elements of
};

// Accesses in a loop that is made into the best code there is: 60 of them took 1.5 s.
constexpr uint32_t kMostAccesses = 32;

// On a Xeon of 2023 a loop took 5 ms for 6 instructions, 10 for 30, 14 for 50; an access, which
// there are two ways for, 5 to 8 more, and 32 of them 390; one tensor 8 and twenty of them 19 more,
// for vectors; a piece of 512 instructions 6 to 11, and an access in such code 0.7.
inline double ExpectedCompileNs(const CompileWork& work) {
  if (work.takes_little) return 2e6 + 3e4 * work.instructions + 7e5 * work.accesses;
  const double vectors = work.tensors > 0 ? 6e6 + 8e5 * work.tensors : 0;
  const double accesses = (6e6 + 2e5 * work.accesses) * work.accesses;
  return 4e6 + 2e5 * work.instructions + accesses + vectors;
}
// The first loop of a process opens the library, and runs code of LLVM's that no cache has. (3 and
// 5 ms where another process has just done it; 14 and 11 in a program that has been at work; 50 and
// 30 beside other programs.)
constexpr double kOpenNs = 2e7, kFirstNs = 1e7;

// A kernel of a GPU for several nodes: LLVM takes 5 ms to write it, and a driver 15 to make code.
constexpr double kMakeKernelNs = 2e7;

// What compiling takes in this process, by what it took so far: several times as long as is
// expected above, where other programs keep caches and memory busy.
// Thread safety: any thread.
class CompilePace {
 public:
  // Nanoseconds from now on that compiling takes which is expected to take `ns`, or has to be paid
  // for, too: the first compilation is to pay for the library.
  //   opened_ns: that opening the library took; 0: it is not open
  double Expected(double ns, double opened_ns) const {
    if (opened_ns == 0) return ns + kFirstNs + kOpenNs;
    const double times = times_;
    if (times == 0) return std::max(1.0, opened_ns / kOpenNs) * (ns + kFirstNs) + opened_ns;
    return times * ns;
  }
  // It took `real_ns`, where `ns` were expected for it.
  void Note(double ns, double real_ns) {
    const double times = times_;
    const double latest = real_ns / (times == 0 ? ns + kFirstNs : ns);
    times_ = std::max(1.0, times == 0 ? latest : (times + latest) / 2);
  }

 private:
  std::atomic<double> times_ = 0;  // as long as is expected; 0: nothing was compiled
};

// Of the time that the loops of some steps are expected to take, the part that they have taken.
// Thread safety: any thread.
class TimeShare {
 public:
  // Whether a step is to be measured: one of sixteen.
  bool IsSample() { return num_steps_.fetch_add(1, std::memory_order_relaxed) % 16 == 0; }
  // A part of a step took `real`, where `expected` were for its loops alone.
  void Note(double real, double expected) {
    real_.fetch_add(std::min(real, expected), std::memory_order_relaxed);
    expected_.fetch_add(expected, std::memory_order_relaxed);
  }
  double share() const {
    const double expected = expected_;
    return expected == 0 ? 1 : real_ / expected;
  }

 private:
  std::atomic<uint32_t> num_steps_ = 0;
  std::atomic<double> real_ = 0, expected_ = 0;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_NATIVE_COMPILE_COSTS_H_
