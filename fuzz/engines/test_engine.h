#ifndef TAGFLOW_FUZZ_ENGINES_TEST_ENGINE_H_
#define TAGFLOW_FUZZ_ENGINES_TEST_ENGINE_H_

// For tests of what compares engines: the reference as a program of its own would be, with some of
// its values or errors changed.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/reference_engine.h"
#include "fuzz/graphs/sample.h"

namespace tagflow::fuzz {

// Two runs of a loop. The results are 16 and 81.
inline constexpr const char* kLoopProgram = R"(
runs 2
input x: float = 2; 3
bound: int32 = Const 3
i: int32, y: float = While(bound, x) from 0 step 1 Less most 3 {
test(i0: int32, a: float):
body(i1: int32, b: float):
  c: float = Mul(b, x)
  return c
}
return y
)";

class ChangedReference : public Engine {
 public:
  using Values = Result<std::vector<Tensor>>;
  // The engine says this in place of the reference's values or error; an error is INTERNAL, "CODE:
  // message". first: the first call of the session, which may be this one
  using Change = std::function<Values(Values, const GraphCall& call, const GraphCall& first)>;

  explicit ChangedReference(Change change, const Capabilities& capabilities = {})
      : change_(std::move(change)), capabilities_(capabilities) {}

  Capabilities capabilities() const override { return capabilities_; }
  Result<std::unique_ptr<EngineSession>> Open(
      Graph graph, const std::vector<std::string>& devices) const override {
    auto session = StandardReference().Open(std::move(graph), devices);
    if (!session.ok()) return change_(Said(session.status()), {}, {}).status();
    return std::unique_ptr<EngineSession>(new Session(*std::move(session), change_));
  }

 private:
  static constexpr int64_t kMostFirings = 10'000;
  static Status Said(const Status& error) { return Internal(error.ToString()); }

  class Session : public EngineSession {
   public:
    Session(std::unique_ptr<EngineSession> session, const Change& change)
        : session_(std::move(session)), change_(change) {}
    Values Run(const reference::NamedTensors& feeds, const std::vector<std::string>& fetches,
               const std::vector<std::string>& targets,
               const reference::RunOptions& asked) override {
      reference::RunOptions options = asked;
      options.max_firings = kMostFirings;
      Values values = session_->Run(feeds, fetches, targets, options);
      if (!values.ok()) values = Said(values.status());
      const GraphCall call{feeds, fetches, targets};
      if (!first_.has_value()) first_ = call;
      return change_(std::move(values), call, *first_);
    }
    const Graph& graph() const override { return session_->graph(); }

   private:
    const std::unique_ptr<EngineSession> session_;
    const Change& change_;
    std::optional<GraphCall> first_;
  };

  const Change change_;
  const Capabilities capabilities_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_TEST_ENGINE_H_
