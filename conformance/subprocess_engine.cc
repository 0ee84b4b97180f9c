#include "conformance/subprocess_engine.h"

#include "conformance/frame_io.h"

namespace tagflow::conformance {
namespace {

constexpr int kProtocol = 1;

Result<Response> ResponseFrom(const Result<std::string>& bytes) {
  if (!bytes.ok()) return bytes.status();
  Response response;
  if (!response.ParseFromString(*bytes)) return DataLoss("the engine's answer is no Response");
  return response;
}

// "why; it said: the end of its standard error"
std::string WithTail(const std::string& why, const Subprocess& process) {
  const std::string tail = process.ErrorTail();
  return tail.empty() ? why : why + "; it said: " + tail;
}

}  // namespace

Result<std::unique_ptr<SubprocessEngine>> SubprocessEngine::Start(
    std::vector<std::string> arguments, double start_s) {
  std::unique_ptr<SubprocessEngine> engine(new SubprocessEngine(std::move(arguments), start_s));
  TAGFLOW_RETURN_IF_ERROR(engine->Restart());
  return engine;
}

Status SubprocessEngine::Restart() {
  TAGFLOW_ASSIGN_OR_RETURN(process_, Subprocess::Start(arguments_));
  const Clock::time_point deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                        std::chrono::duration<double>(start_s_));
  Result<Response> response = ResponseFrom(process_->Exchange("", deadline));
  Status status = response.status();
  if (status.ok() && (!response->has_hello() || response->hello().protocol() != kProtocol)) {
    status = FailedPrecondition("it does not speak protocol " + std::to_string(kProtocol) +
                                " of conformance/engine.proto");
  }
  if (!status.ok()) {
    const Status told(
        status.code(),
        WithTail("starting '" + arguments_.back() + "': " + status.message(), *process_));
    process_.reset();
    return told;
  }
  hello_ = response->hello();
  return Status();
}

Reply SubprocessEngine::Ask(const Request& request, Clock::time_point deadline) {
  if (process_ == nullptr) {
    const Status status = Restart();
    if (!status.ok()) return {Reply::Kind::kCrashed, {}, status.message()};
  }
  Result<Response> response = ResponseFrom(process_->Exchange(Frame(request), deadline));
  if (!response.ok()) return Broken(response.status());
  return {Reply::Kind::kAnswered, *std::move(response), ""};
}

Reply SubprocessEngine::Broken(const Status& status) {
  const bool timed_out = status.code() == Code::kDeadlineExceeded;
  Reply reply{timed_out ? Reply::Kind::kTimedOut : Reply::Kind::kCrashed,
              {},
              WithTail(status.message(), *process_)};
  process_.reset();
  return reply;
}

}  // namespace tagflow::conformance
