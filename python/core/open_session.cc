// Tested by session_test.py.

#include "python/core/open_session.h"

#include <utility>

#include "python/core/errors.h"
#include "python/core/interrupts.h"

namespace tagflow::python {

OpenSession::OpenSession(SharedModel model, std::unique_ptr<optimized::Session> session)
    : model_(std::move(model)), session_(std::move(session)), made_at_(ForkGeneration()) {}

Result<std::shared_ptr<optimized::Session>> OpenSession::Use() const {
  if (session_ == nullptr) return FailedPrecondition("the session is closed");
  if (made_at_ != ForkGeneration()) {
    return FailedPrecondition(
        "the session was made before this process was forked, and its threads are not in the "
        "child: make another session here");
  }
  return session_;
}

void OpenSession::Close() {
  auto last = std::make_unique<std::shared_ptr<optimized::Session>>(std::move(session_));
  if (made_at_ != ForkGeneration()) {
    last.release();  // its threads cannot be waited for: they are the parent's
    return;
  }
  const WithoutGil without;  // threads that end may have something of Python's to give back
  last.reset();
}

std::optional<std::vector<Tensor>> RunStep(const OpenSession& session,
                                           const optimized::Callable& call,
                                           std::vector<Tensor> feeds,
                                           optimized::RunOptions options) {
  const Result<std::shared_ptr<optimized::Session>> in_use = session.Use();
  if (!in_use.ok()) {
    Raise(in_use.status());
    return std::nullopt;
  }
  // What was lent is given back with the GIL, which threads of the step would have to wait for.
  std::vector<Tensor> lent;
  for (const Tensor& feed : feeds) {
    if (feed.is_borrowed()) lent.push_back(feed);
  }
  InterruptibleStep step;
  if (PyErr_CheckSignals() != 0) return std::nullopt;
  options.canceller = &step.canceller();
  Result<std::vector<Tensor>> values = [&] {
    const WithoutGil without;
    return call.Run(std::move(feeds), options);
  }();
  if (values.ok()) return *std::move(values);
  const SharedOps& ops = session.model().ops;
  Ref cause = ops == nullptr ? Ref() : ops->TakeCause(values.status());
  if (PyErr_CheckSignals() == 0) Raise(values.status(), std::move(cause));
  return std::nullopt;
}

}  // namespace tagflow::python
