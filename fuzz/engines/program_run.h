#ifndef TAGFLOW_FUZZ_ENGINES_PROGRAM_RUN_H_
#define TAGFLOW_FUZZ_ENGINES_PROGRAM_RUN_H_

// Lowered programs in sessions of an engine.
//
// Tested by engine_names_test.cc and, through the properties, by properties_test.cc.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/engines/engine.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/program.h"
#include "reference/session.h"

namespace tagflow::fuzz {

// The values of one run's fetches, and those of all runs.
using Fetched = std::vector<Tensor>;
using AllFetched = std::vector<Fetched>;

// A session with a lowered program in it.
class ProgramRun {
 public:
  // graph: the lowered one, or one that means the same.   Errors: the session's.
  //   limit: of the firings of each step whose options have none; 0: none
  static Result<ProgramRun> Make(const Program& program, const Lowered& lowered, Graph graph,
                                 const Engine& engine, int64_t limit);
  // The limit is one that the program does not reach.
  static Result<ProgramRun> Make(const Program& program, const Lowered& lowered, Graph graph,
                                 const Engine& engine);
  static Result<ProgramRun> Make(const Program& program, const Lowered& lowered,
                                 const Engine& engine) {
    return Make(program, lowered, lowered.graph.Clone(), engine);
  }

  // The step that gives the variables their first values; nothing where there are none. `values`:
  // others than the program says, one per variable; empty: none.
  Status Init(const Fetched& values = {}, reference::RunOptions options = {});
  // Fetches what the program does, or `fetches`.
  Result<Fetched> Run(int run, reference::RunOptions options = {});
  Result<Fetched> Run(int run, const std::vector<std::string>& fetches,
                      reference::RunOptions options = {});
  // Init, then every run.
  Result<AllFetched> RunAll(const reference::RunOptions& options = {});
  // Of a run that feeds `feed` as well.
  Result<Fetched> RunFed(int run, const std::pair<std::string, Tensor>& feed);

  reference::NamedTensors FeedsOf(int run) const;

 private:
  ProgramRun(const Program& program, const Lowered& lowered, int64_t limit)
      : program_(program), lowered_(lowered), limit_(limit) {}

  // With a limit of firings, where there is none.
  reference::RunOptions Limited(reference::RunOptions options) const;

  const Program& program_;
  const Lowered& lowered_;
  int64_t limit_;
  std::unique_ptr<EngineSession> session_;
};

// Lowers the program and runs all of it. Errors: Lower's; the steps'.
Result<AllFetched> RunAllOn(const Program& program, const Engine& engine);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_ENGINES_PROGRAM_RUN_H_
