#include "conformance/judge.h"

#include "conformance/compare.h"

namespace tagflow::conformance {
namespace {

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

std::string Describe(const EngineError& error) { return error.code() + ": " + error.message(); }

std::string Describe(const ExpectedError& error) {
  std::string text = error.code().empty() ? "an error" : error.code();
  if (!error.message_contains().empty()) text += " saying " + Quoted(error.message_contains());
  return text;
}

// Each of these gives "" when the response is what is expected, else what differs.

std::string ErrorMismatch(const ExpectedError& expected, const EngineError& error) {
  const bool code_fits = expected.code().empty() || expected.code() == error.code();
  const bool message_fits = error.message().find(expected.message_contains()) != std::string::npos;
  if (code_fits && message_fits) return "";
  return "the error is " + Describe(error) + "; expected " + Describe(expected);
}

std::string ValuesMismatch(const Step& step,
                           const google::protobuf::RepeatedPtrField<Expectation>& expect,
                           const Values& values, double magnitude) {
  if (values.values_size() != step.fetches_size()) {
    return "the engine gave " + std::to_string(values.values_size()) + " values for " +
           std::to_string(step.fetches_size()) + " fetches";
  }
  for (int i = 0; i < expect.size(); ++i) {
    const std::string difference = Mismatch(expect[i], values.values(i), magnitude);
    if (!difference.empty()) return "fetch " + Quoted(step.fetches(i)) + ": " + difference;
  }
  return "";
}

// `expected` is a Step without outcomes, or an Outcome.
template <typename Expected>
std::string ResponseMismatch(const Step& step, const Expected& expected, const Response& response,
                             double magnitude) {
  if (response.has_values()) {
    if (expected.has_error()) return "values came; expected " + Describe(expected.error());
    return ValuesMismatch(step, expected.expect(), response.values(), magnitude);
  }
  if (!expected.has_error()) {
    return "unexpected error " + Describe(response.error());
  }
  return ErrorMismatch(expected.error(), response.error());
}

std::string StepMismatch(const Case& test, const Step& step, const Response& response) {
  const double magnitude = MagnitudeOfTerms(test.graph(), step);
  if (step.outcomes().empty()) return ResponseMismatch(step, step, response, magnitude);
  std::string first;
  for (const Outcome& outcome : step.outcomes()) {
    std::string difference = ResponseMismatch(step, outcome, response, magnitude);
    if (difference.empty()) return "";
    if (first.empty()) first = std::move(difference);
  }
  return "none of the " + std::to_string(step.outcomes_size()) +
         " outcomes allowed; against the first, " + first;
}

// Whether the step asks for UNIMPLEMENTED by name: then an engine that lacks something is right.
bool ExpectsUnimplemented(const Step& step) {
  const auto asks = [](const auto& expected) {
    return expected.has_error() && expected.error().code() == "UNIMPLEMENTED";
  };
  return asks(step) || std::any_of(step.outcomes().begin(), step.outcomes().end(), asks);
}

CaseResult Finding(Verdict verdict, std::string why) {
  CaseResult result;
  result.verdict = verdict;
  result.why = std::move(why);
  return result;
}

class CaseRun {
 public:
  CaseRun(const Case& test, Engine& engine, double timeout_s)
      : test_(test),
        engine_(engine),
        deadline_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(timeout_s))) {}

  CaseResult Go() {
    Request request;
    *request.mutable_load()->mutable_graph() = test_.graph();
    *request.mutable_load()->mutable_devices() = test_.devices();
    const Reply loaded = engine_.Ask(request, deadline_);
    const bool load_failed = loaded.kind == Reply::Kind::kAnswered && !loaded.response.has_loaded();
    if (loaded.kind != Reply::Kind::kAnswered) return Broken(loaded, "loading the graph");
    for (int i = 0; i < test_.steps_size(); ++i) {
      const Step& step = test_.steps(i);
      const std::string where = load_failed               ? "at load"
                                : test_.steps_size() == 1 ? ""
                                                          : "step " + std::to_string(i + 1);
      const Reply reply = load_failed ? loaded : Run(step);
      if (reply.kind != Reply::Kind::kAnswered) return Broken(reply, where);
      CaseResult result = Judge(step, reply.response, where);
      if (result.verdict != Verdict::kPass) return result;
    }
    return CaseResult();
  }

 private:
  Reply Run(const Step& step) {
    Request request;
    *request.mutable_run()->mutable_feeds() = step.feeds();
    *request.mutable_run()->mutable_fetches() = step.fetches();
    *request.mutable_run()->mutable_targets() = step.targets();
    return engine_.Ask(request, deadline_);
  }

  static CaseResult Broken(const Reply& reply, const std::string& where) {
    return Finding(reply.kind == Reply::Kind::kTimedOut ? Verdict::kTimeout : Verdict::kCrash,
                   Join(where, reply.why));
  }

  CaseResult Judge(const Step& step, const Response& response, const std::string& where) const {
    if (response.response_case() == Response::kUnsupported) {
      if (ExpectsUnimplemented(step)) return CaseResult();
      return Finding(Verdict::kUnsupported, Join(where, response.unsupported()));
    }
    if (!response.has_values() && !response.has_error()) {
      return Finding(Verdict::kCrash,
                     Join(where, "the engine's answer is neither values nor error"));
    }
    std::string why = StepMismatch(test_, step, response);
    return why.empty() ? CaseResult() : Finding(Verdict::kFail, Join(where, why));
  }

  static std::string Join(const std::string& where, const std::string& why) {
    return where.empty() ? why : where + ": " + why;
  }

  const Case& test_;
  Engine& engine_;
  const Clock::time_point deadline_;
};

template <typename Expected>
std::string WrongWithExpected(const Step& step, const Expected& expected) {
  if (expected.has_error()) {
    return expected.expect().empty() ? "" : "both values and an error are expected";
  }
  if (expected.expect_size() == step.fetches_size()) return "";
  return std::to_string(step.fetches_size()) + " fetches and " +
         std::to_string(expected.expect_size()) + " expectations";
}

std::string WrongWithStep(const Step& step) {
  if (step.outcomes().empty()) return WrongWithExpected(step, step);
  if (step.has_error() || !step.expect().empty()) {
    return "a step with outcomes has no expect or error beside them";
  }
  for (const auto& outcome : step.outcomes()) {
    std::string wrong = WrongWithExpected(step, outcome);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string WrongWithCase(const Case& test) {
  if (test.steps().empty()) return "the case has no steps";
  for (int i = 0; i < test.steps_size(); ++i) {
    const std::string wrong = WrongWithStep(test.steps(i));
    if (!wrong.empty()) return "step " + std::to_string(i + 1) + " of the case: " + wrong;
  }
  return "";
}

CaseResult RunCase(const Case& test, Engine& engine, double timeout_s) {
  const std::string wrong = WrongWithCase(test);
  if (!wrong.empty()) return Finding(Verdict::kFail, wrong);
  return CaseRun(test, engine, timeout_s).Go();
}

}  // namespace tagflow::conformance
