#ifndef TAGFLOW_PYTHON_CORE_OPEN_SESSION_H_
#define TAGFLOW_PYTHON_CORE_OPEN_SESSION_H_

// A session as Python code holds it: it can be closed, and is no use in a forked child. Everything
// here wants the GIL.

#include <memory>
#include <vector>

#include "optimized/session.h"
#include "python/core/graph_object.h"
#include "python/core/object.h"

namespace tagflow::python {

class OpenSession {
 public:
  OpenSession(SharedModel model, std::unique_ptr<optimized::Session> session);
  OpenSession(const OpenSession&) = delete;
  ~OpenSession() { Close(); }

  // The session, for one call. Errors: FAILED_PRECONDITION where it was closed, or made before a
  // fork
  Result<std::shared_ptr<optimized::Session>> Use() const;
  // Steps that are running go on to their end.
  void Close();
  const Model& model() const { return *model_; }

 private:
  const SharedModel model_;
  std::shared_ptr<optimized::Session> session_;  // null: closed
  const int made_at_;                            // of ForkGeneration
};

// Runs one step of `call`, which is of `session`, without the GIL. Nothing, with an exception,
// where it fails or is interrupted.
std::optional<std::vector<Tensor>> RunStep(const OpenSession& session,
                                           const optimized::Callable& call,
                                           std::vector<Tensor> feeds,
                                           optimized::RunOptions options = {});

}  // namespace tagflow::python

#endif  // TAGFLOW_PYTHON_CORE_OPEN_SESSION_H_
