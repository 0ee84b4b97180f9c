#ifndef TAGFLOW_CONFORMANCE_SERVANT_H_
#define TAGFLOW_CONFORMANCE_SERVANT_H_

// The engine's side of the protocol: what a C++ engine implements to be held to the cases.

#include <atomic>
#include <functional>
#include <memory>

#include "conformance/engine.h"
#include "conformance/engine.pb.h"

namespace tagflow::conformance {

class Servant {
 public:
  virtual ~Servant() = default;
  virtual Hello Introduce() const = 0;
  // Takes a graph, forgetting the one before. Answers loaded, error or unsupported.
  virtual Response LoadGraph(const Load& load) = 0;
  // One step in the session of the graph loaded. `cancelled` may turn true from another thread; the
  // step then ends soon, with an error. Answers values, error or unsupported.
  virtual Response RunStep(const Run& run, const std::function<bool()>& cancelled) = 0;
  virtual void CloseGraph() = 0;
};

// The response to any request but Cancel.
Response Answer(Servant& servant, const Request& request, const std::function<bool()>& cancelled);

// UNIMPLEMENTED is what an engine lacks ("unsupported"); everything else is an error.
Response ErrorResponse(const Status& status);

// Runs the servant in this process: quick, and a crash takes the runner along. A step that ends
// only because it was cancelled at its deadline is a timeout; one that ignores cancellation hangs.
class InProcessEngine : public Engine {
 public:
  explicit InProcessEngine(std::unique_ptr<Servant> servant) : servant_(std::move(servant)) {}
  Reply Ask(const Request& request, Clock::time_point deadline) override;

 private:
  std::unique_ptr<Servant> servant_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_SERVANT_H_
