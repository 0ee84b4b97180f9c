// What a graph means does not depend on how it is written down.

#include <utility>

#include "fuzz/engines/program_run.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "graph/io/export.h"
#include "graph/io/import.h"

namespace tagflow::fuzz {
namespace {

// Runs `again`, which stands for the graph of `lowered`.
Violation SameAs(const Program& program, const Lowered& lowered, const AllFetched& expected,
                 Graph again, const std::string& what, const Engine& engine) {
  Result<ProgramRun> subject = ProgramRun::Make(program, lowered, std::move(again), engine);
  if (!subject.ok()) return Failed(what, subject.status());
  const Result<AllFetched> actual = subject->RunAll();
  if (!actual.ok()) return Failed(what, actual.status());
  if (const Violation difference = DifferenceOf(program, expected, *actual)) {
    return what + ": " + *difference;
  }
  return std::nullopt;
}

Result<AllFetched> Expected(const Program& program, const Lowered& lowered, const Engine& engine) {
  TAGFLOW_ASSIGN_OR_RETURN(ProgramRun subject, ProgramRun::Make(program, lowered, engine));
  return subject.RunAll();
}

}  // namespace

Violation ShuffledNodes(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  const Result<AllFetched> expected = Expected(program, *lowered, engine);
  if (!expected.ok()) return Failed("in the order of the builder", expected.status());
  Result<GraphDef> def = ExportGraph(lowered->graph);
  if (!def.ok()) return Failed("the export fails", def.status());
  for (int i = def->node_size(); i > 1; --i) {
    def->mutable_node()->SwapElements(i - 1,
                                      static_cast<int>(choices.Below(static_cast<size_t>(i))));
  }
  Result<Graph> shuffled = ImportGraph(*def);
  if (!shuffled.ok()) return Failed("the import of shuffled nodes fails", shuffled.status());
  return SameAs(program, *lowered, *expected, *std::move(shuffled), "with its nodes shuffled",
                engine);
}

Violation RoundTrip(const Program& program, Choices&, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  const Result<AllFetched> expected = Expected(program, *lowered, engine);
  if (!expected.ok()) return Failed("before the export", expected.status());
  for (const bool text : {false, true}) {
    const std::string form = text ? "text" : "bytes";
    const auto write = text ? ExportGraphToText : ExportGraphToBytes;
    const Result<std::string> written = write(lowered->graph);
    if (!written.ok()) return Failed("the export to " + form + " fails", written.status());
    Result<Graph> read = ImportGraphFromBytes(*written);
    if (!read.ok()) return Failed("the import from " + form + " fails", read.status());
    const Result<std::string> again = write(*read);
    if (!again.ok()) return Failed("the second export to " + form + " fails", again.status());
    if (*again != *written) return "the " + form + " of the graph change on a round trip";
    const Violation difference =
        SameAs(program, *lowered, *expected, *std::move(read), "read back from " + form, engine);
    if (difference) return difference;
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
