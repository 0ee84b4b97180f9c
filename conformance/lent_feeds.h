#ifndef TAGFLOW_CONFORMANCE_LENT_FEEDS_H_
#define TAGFLOW_CONFORMANCE_LENT_FEEDS_H_

// Feeds whose memory an engine only borrows, and the check that it keeps to what that means: it
// changes nothing, and keeps nothing when the step is over (Tensor::Borrow).
//
// Tested by lent_feeds_test.cc.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::conformance {

class LentFeeds {
 public:
  using Feeds = std::vector<std::pair<std::string, Tensor>>;

  // Puts tensors over memory of its own, aligned as the element types ask and no better, in the
  // place of those that can be borrowed.
  Status Lend(Feeds& feeds);
  // To be called when the step is over and its results are gone. Overwrites what was lent, so that
  // who kept it in secret reads nonsense from now on.
  //   Errors: INTERNAL naming a feed that the engine changed or still holds
  Status TakeBack();

 private:
  struct Loan {
    std::string name;
    Tensor original;
    std::shared_ptr<std::vector<char>> memory;
    char* elements = nullptr;  // in `memory`
  };
  std::vector<Loan> loans_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_LENT_FEEDS_H_
