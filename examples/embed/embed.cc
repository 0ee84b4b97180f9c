// A program with the engine in it, and nothing else of Tagflow: it reads a graph, makes a call of
// it ready, and runs that.
//
//   embed GRAPH NAME=VALUE... FETCH...
//
//   embed collatz/graph.pbtxt n=60 best start

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/io/import.h"
#include "graph/literal.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/session.h"

namespace tagflow {
namespace {

struct Request {
  std::string graph;
  std::vector<std::string> feeds, fetches;
  std::vector<Tensor> values;  // of the feeds
};

Result<Request> ReadRequest(const std::vector<std::string>& words) {
  if (words.empty()) return InvalidArgument("embed GRAPH NAME=VALUE... FETCH...");
  Request request = {words[0], {}, {}, {}};
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) {
      request.fetches.push_back(words[i]);
      continue;
    }
    // Without a dtype the value is of the one that it looks like; "x=double:3" names another.
    TAGFLOW_ASSIGN_OR_RETURN(Tensor value, ParseLiteral(words[i].substr(equals + 1), std::nullopt));
    request.feeds.push_back(words[i].substr(0, equals));
    request.values.push_back(std::move(value));
  }
  return request;
}

Status Run(const std::vector<std::string>& words) {
  TAGFLOW_ASSIGN_OR_RETURN(Request request, ReadRequest(words));
  TAGFLOW_ASSIGN_OR_RETURN(Graph graph, ReadGraphFile(request.graph));
  TAGFLOW_ASSIGN_OR_RETURN(const auto session, optimized::Session::Create(std::move(graph)));
  // What is planned here is planned once: a program that runs the call again and again keeps it.
  TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* const call,
                           session->MakeCallable(request.feeds, request.fetches));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<Tensor> results, call->Run(request.values));
  for (size_t i = 0; i < results.size(); ++i) {
    std::printf("%s: %s\n", request.fetches[i].c_str(), results[i].DebugString().c_str());
  }
  return Status();
}

}  // namespace
}  // namespace tagflow

int main(int argc, char** argv) {
  const tagflow::Status status = tagflow::Run({argv + 1, argv + argc});
  if (!status.ok()) std::fprintf(stderr, "embed: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
