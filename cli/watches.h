#ifndef TAGFLOW_CLI_WATCHES_H_
#define TAGFLOW_CLI_WATCHES_H_

// --watch NAME[@TAG]: the values that a tensor has at tags, inside of loops too, where nothing can
// be fetched.
//
// Tested by watches_test.cc.

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/status.h"
#include "reference/history.h"

namespace tagflow::cli {

class Watches {
 public:
  // words: "NAME" for all tags, "NAME@TAG" for one; NAME as in a fetch, TAG as traces and errors
  // write it, where '/' and '[' of names may be written without their '\'.
  //   Errors: as FindOutput, naming the option
  static Result<Watches> Parse(const Graph& graph, const std::vector<std::string>& words);

  // To be told of every firing of the step.
  void Look(const reference::TraceEvent& event);
  // A line for each value, by the watches and then in the order of the firings:
  // "while/add @ while[3]: int32[] 4"; one that says so where there was none.
  std::string Text() const;

 private:
  struct Watch {
    std::string word;  // as the user wrote it
    std::string node;
    size_t output = 0;
    std::string tag;  // without '\'
    bool has_tag = false;
    std::vector<std::string> lines;
  };

  std::vector<Watch> watches_;
};

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_WATCHES_H_
