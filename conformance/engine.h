#ifndef TAGFLOW_CONFORMANCE_ENGINE_H_
#define TAGFLOW_CONFORMANCE_ENGINE_H_

// An engine as the runner sees it: something that answers requests, unless it breaks.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "conformance/engine.pb.h"
#include "graph/status.h"

namespace tagflow::conformance {

using Clock = std::chrono::steady_clock;

struct Reply {
  enum class Kind : uint8_t { kAnswered, kCrashed, kTimedOut };
  Kind kind = Kind::kAnswered;
  Response response;  // of kAnswered
  std::string why;    // of the others: one line
};

// Used by one thread. After a crash or timeout the engine starts afresh at the next request,
// without a graph.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Reply Ask(const Request& request, Clock::time_point deadline) = 0;
};

// Makes one engine per worker. Errors: the engine cannot be started at all.
using EngineFactory = std::function<Result<std::unique_ptr<Engine>>()>;

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_ENGINE_H_
