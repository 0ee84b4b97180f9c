// An engine for tests of the runner. It answers a fetch with the feed of that name; what else it
// does is the op of the graph's first node: see Misbehave.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "conformance/frame_io.h"
#include "conformance/serve.h"

namespace tagflow::conformance {
namespace {

int frames = -1;

class FakeServant : public Servant {
 public:
  Hello Introduce() const override {
    Hello hello;
    hello.set_name("fake");
    hello.set_protocol(1);
    return hello;
  }

  Response LoadGraph(const Load& load) override {
    op_ = load.graph().node().empty() ? "" : load.graph().node(0).op();
    if (op_ == "FailAtLoad") return ErrorResponse(InvalidArgument("the graph is no good"));
    Response response;
    response.mutable_loaded();
    return response;
  }

  Response RunStep(const Run& run, const std::function<bool()>& cancelled) override {
    Misbehave(cancelled);
    if (op_ == "Lack") return ErrorResponse(Unimplemented("no op 'Lack'"));
    if (op_ == "Fail") return ErrorResponse(NotFound("nothing here"));
    if (op_ == "WaitForCancel") return ErrorResponse(Cancelled("the step was cancelled"));
    Response response;
    response.mutable_values();
    for (const std::string& fetch : run.fetches()) {
      for (const NamedTensor& feed : run.feeds()) {
        if (feed.name() == fetch) *response.mutable_values()->add_values() = feed.value();
      }
    }
    return response;
  }

  void CloseGraph() override {}

 private:
  void Misbehave(const std::function<bool()>& cancelled) const {
    if (op_ == "Crash") {
      std::fprintf(stderr, "about to\ncrash\n");
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
    }
    if (op_ == "Exit") std::_Exit(3);
    if (op_ == "Print") std::printf("a kernel that prints\n");
    if (op_ == "Noise") (void)WriteAll(frames, "this is not a frame\n");
    if (op_ == "Chatter") {
      for (int i = 0; i < 100'000; ++i) std::fprintf(stderr, "line %d of very many\n", i);
    }
    while (op_ == "Hang") pause();
    while (op_ == "WaitForCancel" && !cancelled()) usleep(1000);
  }

  std::string op_;
};

}  // namespace
}  // namespace tagflow::conformance

int main(int argc, char** argv) {
  namespace conformance = tagflow::conformance;
  if (argc > 1 && std::string(argv[1]) == "--refuse") {
    std::fprintf(stderr, "no engine today\n");
    return 5;
  }
  conformance::frames = conformance::ClaimStandardOutput();
  conformance::FakeServant servant;
  return conformance::Serve(servant, 0, conformance::frames).ok() ? 0 : 1;
}
