#include "conformance/servant.h"

#include <cstdio>

#include "graph/utf8.h"

namespace tagflow::conformance {
namespace {

// A message may quote bytes that a graph holds, and a Response holds UTF-8 alone.
std::string AsUtf8(const std::string& text) {
  if (IsUtf8(text)) return text;
  std::string escaped;
  for (const char c : text) {
    char octal[8];
    std::snprintf(octal, sizeof(octal), "\\%03o", static_cast<unsigned char>(c));
    escaped += static_cast<unsigned char>(c) < 0x80 ? std::string(1, c) : octal;
  }
  return escaped;
}

}  // namespace

Response ErrorResponse(const Status& status) {
  Response response;
  // What ToString puts before the message is the code.
  std::string text = AsUtf8(status.ToString());
  const std::string prefix = std::string(CodeName(status.code())) + ": ";
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  if (status.code() == Code::kUnimplemented) {
    response.set_unsupported(text);
  } else {
    response.mutable_error()->set_code(std::string(CodeName(status.code())));
    response.mutable_error()->set_message(text);
  }
  return response;
}

Response Answer(Servant& servant, const Request& request, const std::function<bool()>& cancelled) {
  switch (request.request_case()) {
    case Request::kLoad:
      return servant.LoadGraph(request.load());
    case Request::kRun:
      return servant.RunStep(request.run(), cancelled);
    case Request::kClose: {
      servant.CloseGraph();
      Response response;
      response.mutable_closed();
      return response;
    }
    default:
      return ErrorResponse(InvalidArgument("a request of no known kind"));
  }
}

Reply InProcessEngine::Ask(const Request& request, Clock::time_point deadline) {
  bool timed_out = false;
  auto cancelled = [&] {
    timed_out = timed_out || Clock::now() >= deadline;
    return timed_out;
  };
  Reply reply;
  reply.response = Answer(*servant_, request, cancelled);
  if (timed_out && reply.response.has_error()) {
    reply.kind = Reply::Kind::kTimedOut;
    reply.why = "did not finish in time: " + reply.response.error().message();
  }
  return reply;
}

}  // namespace tagflow::conformance
