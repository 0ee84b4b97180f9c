#ifndef TAGFLOW_FUZZ_PROPERTIES_SUBJECT_RUN_H_
#define TAGFLOW_FUZZ_PROPERTIES_SUBJECT_RUN_H_

// Lowered programs in sessions, for the properties.

#include <memory>
#include <string>
#include <vector>

#include "fuzz/lower/lower.h"
#include "fuzz/program/program.h"
#include "fuzz/properties/properties.h"
#include "reference/session.h"

namespace tagflow::fuzz {

// What one run fetches, and what all do.
using Fetched = std::vector<Tensor>;
using AllFetched = std::vector<Fetched>;

// A session with a lowered program in it.
class SubjectRun {
 public:
  // Errors: the session's.
  static Result<SubjectRun> Make(const Program& program, const Lowered& lowered, Graph graph,
                                 const Engine& engine);
  static Result<SubjectRun> Make(const Program& program, const Lowered& lowered,
                                 const Engine& engine) {
    return Make(program, lowered, lowered.graph.Clone(), engine);
  }

  // The step that gives the variables their first values; nothing where there are none. `values`:
  // others than the program says, one per variable; empty: none.
  Status Init(const Fetched& values = {});
  // Fetches what the program does, or `fetches`. Its firings are limited, unless `options` does so.
  Result<Fetched> Run(int run, reference::RunOptions options = {});
  Result<Fetched> Run(int run, const std::vector<std::string>& fetches,
                      reference::RunOptions options = {});
  // Init, then every run.
  Result<AllFetched> RunAll(const reference::RunOptions& options = {});
  // Of a run that feeds `feed` as well.
  Result<Fetched> RunFed(int run, const std::pair<std::string, Tensor>& feed);

  reference::NamedTensors FeedsOf(int run) const;

 private:
  SubjectRun(const Program& program, const Lowered& lowered)
      : program_(program), lowered_(lowered) {}

  // With a limit of firings, where there is none.
  reference::RunOptions Limited(reference::RunOptions options) const;

  const Program& program_;
  const Lowered& lowered_;
  int64_t limit_ = 0;
  std::unique_ptr<EngineSession> session_;
};

// Lowers the program and runs all of it. Errors: Lower's; the steps'.
Result<AllFetched> RunAllOn(const Program& program, const Engine& engine,
                            const reference::RunOptions& options = {});

// In what the second differs from the first, bit for bit, any NaN equal to any other.
Violation DifferenceOf(const Program& program, const AllFetched& expected,
                       const AllFetched& actual);
Violation DifferenceOf(const Program& program, const Fetched& expected, const Fetched& actual,
                       int run);

// "what: the error".
std::string Failed(const std::string& what, const Status& status);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROPERTIES_SUBJECT_RUN_H_
