#ifndef TAGFLOW_OPTIMIZED_LIMITS_H_
#define TAGFLOW_OPTIMIZED_LIMITS_H_

// What the engine holds at most. docs/limits.md lists these, and what happens beyond each.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tagflow::optimized {

// Threads of a session.
constexpr int kMaxThreads = 1024;
// Data and control inputs of a node, in the executor of tokens.
constexpr uint32_t kMaxTokenInputs = (1u << 23) - 1;
// Outputs of a node in straight code. A call with a node of more runs by tokens.
constexpr uint32_t kMaxStraightOutputs = std::numeric_limits<uint16_t>::max();
// Nodes of the bodies that a session keeps of functions which it runs as they are. The bodies
// beyond them are made anew for each call.
constexpr size_t kMostBodyNodes = 200'000;
// Instructions of a loop of straight code that becomes machine code; a longer one is interpreted.
constexpr uint32_t kMostNativeInstructions = 20'000;
// What a call keeps of what it computes of constants (constants_once.h): this part of the machine's
// memory, one over it. What is larger is computed in each step.
constexpr size_t kConstantsShareOfMemory = 16;

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_LIMITS_H_
