#ifndef TAGFLOW_FUZZ_GENERATE_ODDS_H_
#define TAGFLOW_FUZZ_GENERATE_ODDS_H_

// How often a generator takes a turn that is not the simplest one. Every chance in `fuzz/` is one
// of these: Choices::Chance takes nothing else, so that no generator is tuned to a percentage of
// its own. What a run looks at more or less is for its profile (profile.h), for its mixture of
// properties (harness/mixture.cc), and for what a sample leaves out altogether (swarm.h) to say.

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace tagflow::fuzz {

// The values: times in 100.
enum class Odds : uint8_t {
  kNever = 0,
  kRarely = 3,      // what takes long, or makes the rest of the sample useless
  kSeldom = 10,     // an unusual form of a node, where a sample has dozens of nodes
  kSometimes = 25,  // an unusual form of the whole sample
  kEvenly = 50,     // two forms that deserve the same
  kMostly = 70,     // to go on with a list; the usual form, where the simplest is not it
  kNearlyAlways = 97,
  kAlways = 100,
};
using enum Odds;

// Of what comes more often in this place than in others: the next odds.
constexpr Odds More(Odds odds) {
  constexpr Odds kInOrder[] = {kNever, kRarely, kSeldom, kSometimes, kEvenly, kMostly, kAlways};
  for (size_t i = 1; i + 1 < std::size(kInOrder); ++i) {
    if (kInOrder[i] == odds) return kInOrder[i + 1];
  }
  return odds;
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_ODDS_H_
