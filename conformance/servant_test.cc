#include "conformance/servant.h"

#include <gtest/gtest.h>

namespace tagflow::conformance {
namespace {

// Waits in a step until it is cancelled, unless the run has targets.
class WaitingServant : public Servant {
 public:
  Hello Introduce() const override { return Hello(); }
  Response LoadGraph(const Load&) override { return ErrorResponse(NotFound("no graph")); }
  Response RunStep(const Run& run, const std::function<bool()>& cancelled) override {
    while (run.targets().empty() && !cancelled()) {
    }
    return ErrorResponse(Cancelled("ended"));
  }
  void CloseGraph() override { closed = true; }

  bool closed = false;
};

TEST(Servant, UnimplementedIsUnsupportedAndTheRestAreErrors) {
  EXPECT_EQ(ErrorResponse(Unimplemented("no op")).unsupported(), "no op");
  const Response response = ErrorResponse(InvalidArgument("wrong").WithNode("n"));
  EXPECT_EQ(response.error().code(), "INVALID_ARGUMENT");
  EXPECT_EQ(response.error().message(), "wrong [node n]");
}

TEST(Servant, AMessageMayQuoteAnyBytes) {
  const Response response = ErrorResponse(InvalidArgument("not \xff but \xc3\xa9"));
  EXPECT_EQ(response.error().message(), "not \\377 but \\303\\251");
  EXPECT_EQ(ErrorResponse(InvalidArgument("\xc3\xa9")).error().message(), "\xc3\xa9");
  Response read;
  EXPECT_TRUE(read.ParseFromString(response.SerializeAsString()));
}

TEST(Servant, RequestsReachTheirFunctions) {
  WaitingServant servant;
  Request request;
  request.mutable_load();
  EXPECT_EQ(Answer(servant, request, nullptr).error().code(), "NOT_FOUND");
  request.mutable_close();
  EXPECT_TRUE(Answer(servant, request, nullptr).has_closed());
  EXPECT_TRUE(servant.closed);
  EXPECT_EQ(Answer(servant, Request(), nullptr).error().code(), "INVALID_ARGUMENT");
}

TEST(InProcessEngineTest, AStepCancelledAtItsDeadlineIsATimeout) {
  InProcessEngine engine(std::make_unique<WaitingServant>());
  Request request;
  request.mutable_run();
  const Reply reply = engine.Ask(request, Clock::now() + std::chrono::milliseconds(20));
  EXPECT_EQ(reply.kind, Reply::Kind::kTimedOut);
  request.mutable_run()->add_targets("t");
  EXPECT_EQ(engine.Ask(request, Clock::now() + std::chrono::hours(1)).kind, Reply::Kind::kAnswered);
}

}  // namespace
}  // namespace tagflow::conformance
