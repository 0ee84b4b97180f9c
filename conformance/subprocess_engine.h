#ifndef TAGFLOW_CONFORMANCE_SUBPROCESS_ENGINE_H_
#define TAGFLOW_CONFORMANCE_SUBPROCESS_ENGINE_H_

// An engine in a process of its own, started again after each crash and each timeout.

#include <memory>
#include <string>
#include <vector>

#include "conformance/engine.h"
#include "conformance/subprocess.h"

namespace tagflow::conformance {

class SubprocessEngine : public Engine {
 public:
  // Starts the program and waits for its Hello, at most `start_s` seconds.
  //   Errors: NOT_FOUND, FAILED_PRECONDITION (another protocol), or what Subprocess::Exchange
  //   gives, with the end of what the program wrote to its standard error.
  static Result<std::unique_ptr<SubprocessEngine>> Start(std::vector<std::string> arguments,
                                                         double start_s);

  Reply Ask(const Request& request, Clock::time_point deadline) override;
  const Hello& hello() const { return hello_; }

 private:
  SubprocessEngine(std::vector<std::string> arguments, double start_s)
      : arguments_(std::move(arguments)), start_s_(start_s) {}
  Status Restart();
  Reply Broken(const Status& status);

  const std::vector<std::string> arguments_;
  const double start_s_;
  std::unique_ptr<Subprocess> process_;  // null after it broke
  Hello hello_;
};

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_SUBPROCESS_ENGINE_H_
