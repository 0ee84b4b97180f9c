#include "conformance/serve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "conformance/frame_io.h"

namespace tagflow::conformance {
namespace {

// Runs until it is cancelled.
class PatientServant : public Servant {
 public:
  Hello Introduce() const override {
    Hello hello;
    hello.set_name("patient");
    return hello;
  }
  Response LoadGraph(const Load&) override {
    Response response;
    response.mutable_loaded();
    return response;
  }
  Response RunStep(const Run&, const std::function<bool()>& cancelled) override {
    while (!cancelled()) usleep(100);
    return ErrorResponse(Cancelled("as asked"));
  }
  void CloseGraph() override {}
};

class ServeTest : public ::testing::Test {
 protected:
  ServeTest() {
    IgnoreBrokenPipes();
    TAGFLOW_CHECK(pipe(requests_) == 0 && pipe(responses_) == 0);
    server_ = std::thread([this] { status_ = Serve(servant_, requests_[0], responses_[1]); });
  }
  ~ServeTest() override {
    if (server_.joinable()) (void)End();
  }

  void Send(const Request& request) { ASSERT_TRUE(WriteAll(requests_[1], Frame(request)).ok()); }
  Response Receive() {
    Response response;
    const Result<std::optional<std::string>> frame = ReadFrame(responses_[0]);
    EXPECT_TRUE(frame.ok() && frame->has_value() && response.ParseFromString(**frame));
    return response;
  }
  Status End() {
    close(requests_[1]);
    server_.join();
    return status_;
  }

  PatientServant servant_;
  int requests_[2];
  int responses_[2];
  Status status_;
  std::thread server_;
};

TEST_F(ServeTest, HelloComesUnasked) { EXPECT_EQ(Receive().hello().name(), "patient"); }

TEST_F(ServeTest, ACancelReachesTheStepThatRuns) {
  Receive();
  Request run, cancel, close_graph;
  run.mutable_run();
  cancel.mutable_cancel();
  close_graph.mutable_close();
  Send(run);
  Send(cancel);
  EXPECT_EQ(Receive().error().code(), "CANCELLED");
  Send(close_graph);
  EXPECT_TRUE(Receive().has_closed());
  EXPECT_TRUE(End().ok());
}

TEST_F(ServeTest, ACancelWithNothingToCancelDoesNotReachTheNextStep) {
  Receive();
  Request load, run, cancel;
  load.mutable_load();
  run.mutable_run();
  cancel.mutable_cancel();
  Send(cancel);
  Send(load);
  EXPECT_TRUE(Receive().has_loaded());
  Send(cancel);  // of the load, which is over
  Send(run);
  Send(cancel);
  EXPECT_EQ(Receive().error().code(), "CANCELLED");
}

TEST_F(ServeTest, WhatWasAskedIsAnsweredAfterTheInputEnds) {
  Receive();
  Request load;
  load.mutable_load();
  Send(load);
  Send(load);
  EXPECT_TRUE(End().ok());
  EXPECT_TRUE(Receive().has_loaded());
  EXPECT_TRUE(Receive().has_loaded());
}

TEST_F(ServeTest, AStepEndsWhenNobodyIsLeftToHearOfIt) {
  Receive();
  Request run;
  run.mutable_run();
  Send(run);
  close(responses_[0]);
  EXPECT_TRUE(End().ok());
}

TEST_F(ServeTest, NoiseIsAnError) {
  Receive();
  ASSERT_TRUE(WriteAll(requests_[1], "this is no frame at all").ok());
  EXPECT_EQ(End().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace tagflow::conformance
