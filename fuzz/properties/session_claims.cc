// What a step gives does not depend on the steps before it, but for the variables; on what else is
// fetched; or on whether a tensor is computed or fed.

#include <algorithm>
#include <utility>

#include "fuzz/engines/program_run.h"
#include "fuzz/program/walk.h"
#include "fuzz/properties/claims.h"
#include "fuzz/properties/differences.h"
#include "graph/validate.h"

namespace tagflow::fuzz {
namespace {

// One run in a session of its own, with these values of the variables.
Result<Fetched> RunAlone(const Program& program, const Lowered& lowered, int run,
                         const Fetched& variables, const Engine& engine) {
  TAGFLOW_ASSIGN_OR_RETURN(ProgramRun subject, ProgramRun::Make(program, lowered, engine));
  TAGFLOW_RETURN_IF_ERROR(subject.Init(variables));
  return subject.Run(run);
}

// A tensor of the root frame that the call needs, which may be in a branch; kNone: none was found.
OutputRef ChooseInner(const Program& program, const Lowered& lowered, Choices& choices) {
  const Result<CallSpec> call = ResolveCall(lowered.graph, lowered.feeds, lowered.fetches, {});
  if (!call.ok()) return OutputRef{};
  const Result<ValidatedCall> valid = ValidateCall(lowered.graph, *call);
  if (!valid.ok()) return OutputRef{};
  std::vector<ValueId> bound;
  const bool anywhere = choices.Chance(kEvenly);
  auto add = [&](const Statement& statement) {
    bound.insert(bound.end(), statement.outputs.begin(), statement.outputs.end());
  };
  if (anywhere) {
    ForEachStatement(program.body, add);
  } else {
    for (const Statement& statement : program.body.statements) add(statement);
  }
  std::erase_if(bound, [&](ValueId id) {
    const OutputRef output = lowered.values[Index(id)];
    return output.node == NodeId::kNone || !valid->needed[Index(output.node)] ||
           valid->frames.OutputFrame(lowered.graph.node(output.node)) != FrameTree::kRoot;
  });
  return bound.empty() ? OutputRef{} : lowered.values[Index(choices.Of(bound))];
}

}  // namespace

Violation Runs(const Program& program, Choices&, const Engine& engine) {
  if (program.runs < 2) return std::nullopt;
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<ProgramRun> subject = ProgramRun::Make(program, *lowered, engine);
  if (!subject.ok()) return Failed("in one session", subject.status());
  const Result<AllFetched> together = subject->RunAll();
  if (!together.ok()) return Failed("in one session", together.status());
  for (int run = 1; run < program.runs; ++run) {
    const Fetched& before = (*together)[static_cast<size_t>(run) - 1];
    const auto first = static_cast<ptrdiff_t>(program.body.results.size());
    const Fetched variables(before.begin() + first, before.end());
    const Result<Fetched> alone = RunAlone(program, *lowered, run, variables, engine);
    if (!alone.ok()) return Failed("in a session of its own", alone.status());
    const Violation difference =
        DifferenceOf(program, *alone, (*together)[static_cast<size_t>(run)], run);
    if (difference) return "after other runs, against a session of its own: " + *difference;
  }
  return std::nullopt;
}

Violation FetchSubset(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  Result<ProgramRun> whole = ProgramRun::Make(program, *lowered, engine);
  if (!whole.ok()) return Failed("with all fetches", whole.status());
  if (Status status = whole->Init(); !status.ok()) return Failed("with all fetches", status);
  const Result<Fetched> expected = whole->Run(0);
  if (!expected.ok()) return Failed("with all fetches", expected.status());
  if (expected->empty()) return std::nullopt;
  std::vector<std::string> fetches;
  Fetched wanted;
  for (int n = choices.Between(kFew); n > 0; --n) {
    const size_t i = choices.Below(expected->size());
    fetches.push_back(lowered->fetches[i]);
    wanted.push_back((*expected)[i]);
  }
  Result<ProgramRun> part = ProgramRun::Make(program, *lowered, engine);
  if (!part.ok()) return Failed("with some fetches", part.status());
  if (Status status = part->Init(); !status.ok()) return Failed("with some fetches", status);
  const Result<Fetched> actual = part->Run(0, fetches);
  if (!actual.ok()) return Failed("with some fetches", actual.status());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (BitwiseEqual(wanted[i], (*actual)[i])) continue;
    return "fetched among " + std::to_string(wanted.size()) + ", '" + fetches[i] + "' is " +
           (*actual)[i].DebugString() + "; among all it is " + wanted[i].DebugString();
  }
  return std::nullopt;
}

Violation FeedInner(const Program& program, Choices& choices, const Engine& engine) {
  const Result<Lowered> lowered = Lower(program);
  if (!lowered.ok()) return Failed("the lowering fails", lowered.status());
  const OutputRef inner = ChooseInner(program, *lowered, choices);
  if (inner.node == NodeId::kNone) return std::nullopt;
  const std::string name = OutputName(lowered->graph, inner);
  std::vector<std::string> fetches = lowered->fetches;
  fetches.push_back(name);
  Result<ProgramRun> computed = ProgramRun::Make(program, *lowered, engine);
  Result<ProgramRun> fed = ProgramRun::Make(program, *lowered, engine);
  if (!computed.ok()) return Failed("computed", computed.status());
  if (!fed.ok()) return Failed("fed", fed.status());
  if (Status status = computed->Init(); !status.ok()) return Failed("computed", status);
  if (Status status = fed->Init(); !status.ok()) return Failed("fed", status);
  for (int run = 0; run < program.runs; ++run) {
    Result<Fetched> expected = computed->Run(run, fetches);
    // Its branch is not taken.
    if (!expected.ok() && expected.status().rule() == "fetch.1") return std::nullopt;
    if (!expected.ok()) return Failed("fetching '" + name + "' as well", expected.status());
    const Tensor value = expected->back();
    expected->pop_back();
    const Result<Fetched> actual = fed->RunFed(run, {name, value});
    if (!actual.ok()) return Failed("feeding '" + name + "'", actual.status());
    if (const Violation difference = DifferenceOf(program, *expected, *actual, run)) {
      return "feeding '" + name + "' with " + value.DebugString() + ", its value: " + *difference;
    }
  }
  return std::nullopt;
}

}  // namespace tagflow::fuzz
