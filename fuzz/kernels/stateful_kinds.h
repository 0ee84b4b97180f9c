#ifndef TAGFLOW_FUZZ_KERNELS_STATEFUL_KINDS_H_
#define TAGFLOW_FUZZ_KERNELS_STATEFUL_KINDS_H_

// The kinds of state that a sequence of ops may be about, and the ops on each.

#include <span>
#include <string_view>
#include <vector>

namespace tagflow::fuzz {

using OpNames = std::vector<std::string_view>;

struct StatefulKind {
  enum class Elements : uint8_t { kAny, kNumbers, kCounter };

  OpNames makers;     // one of them comes first
  OpNames first;      // then one of these, if there are any
  OpNames steps;      // then some of these; what others need is there more than once
  OpNames last = {};  // seldom in place of a step: after it, most steps fail
  OpNames ending;     // and then all of these
  Elements elements = Elements::kAny;
  bool is_by_reference = false;
  bool is_array = false;  // of which an element is written once
  bool is_long = false;   // of more elements than an engine keeps in one block
};

const std::vector<StatefulKind>& StatefulKinds();

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_STATEFUL_KINDS_H_
