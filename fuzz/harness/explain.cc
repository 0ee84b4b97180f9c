#include "fuzz/harness/explain.h"

#include <memory>
#include <optional>
#include <utility>

#include "fuzz/direct/compare.h"
#include "fuzz/direct/direct.h"
#include "fuzz/harness/child.h"
#include "fuzz/harness/token_diff.h"
#include "fuzz/harness/token_trace.h"
#include "fuzz/lower/lower.h"

namespace tagflow::fuzz {
namespace {

constexpr double kSecondsMost = 10;

Result<std::string> TellTokens(const Program& program, const EngineChoice& engines) {
  TAGFLOW_ASSIGN_OR_RETURN(Lowered lowered, Lower(program));
  const CallSequence calls = CallsOf(program, std::move(lowered));
  TAGFLOW_ASSIGN_OR_RETURN(const TokenTrace expected, TraceReference(calls, kSecondsMost));
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<TokenSource> source,
                           MakeTokenSource(engines.engine, kSecondsMost, engines.broken));
  TAGFLOW_ASSIGN_OR_RETURN(const TokenTrace actual, source->Trace(calls, expected));
  const std::optional<TokenDifference> difference = FirstDifference(calls, actual, expected);
  if (!difference.has_value()) return std::string();
  const std::string name =
      engines.mutant.empty() ? engines.engine : engines.engine + " under " + engines.mutant;
  return ToText(*difference, name, "reference");
}

// Where the reference itself is off, or all its tokens agree: every value bound at the top of the
// program is made a result, and the first one that is not the direct evaluator's is told.
Result<std::string> TellValues(Program program, const EngineChoice& engines) {
  program.body.results.clear();
  for (const Statement& statement : program.body.statements) {
    for (const ValueId value : statement.outputs) {
      if (program.type(value).kind == Kind::kTensor) program.body.results.push_back(value);
    }
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::unique_ptr<WorkerEngines> engines_started,
                           WorkerEngines::Make(engines));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<RunResult> direct, Evaluate(program));
  TAGFLOW_ASSIGN_OR_RETURN(const Answers actual,
                           RunProgram(engines_started->setting().engine, program));
  TAGFLOW_ASSIGN_OR_RETURN(const Verdict verdict, Judge(program, direct, actual.runs));
  if (verdict.difference.empty()) return std::string();
  return "  first differing value, of all as results: " + verdict.difference + "\n";
}

std::string Tell(const Program& program, const EngineChoice& engines) {
  const bool is_guide = engines.engine == "reference" && engines.broken == nullptr;
  const Result<std::string> tokens =
      is_guide ? Result<std::string>(std::string()) : TellTokens(program, engines);
  if (tokens.ok() && !tokens->empty()) return *tokens;
  const Result<std::string> values = TellValues(program, engines);
  return values.ok() ? *values : "";
}

}  // namespace

std::string Explain(const Program& program, const EngineChoice& engines) {
  if (engines.engine == "direct") return "";
  // What is under test has shown that it is broken: it may as well crash now.
  const Result<std::string> text =
      CallInChild([&] { return Tell(program, engines); }, kSecondsMost);
  return text.ok() ? *text : "";
}

}  // namespace tagflow::fuzz
