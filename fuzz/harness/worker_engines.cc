#include "fuzz/harness/worker_engines.h"

#include <string_view>

namespace tagflow::fuzz {

std::string ShellQuoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string ToOptions(const EngineChoice& choice) {
  const EngineChoice standard;
  std::string options;
  if (choice.engine != standard.engine) options += " --engine " + ShellQuoted(choice.engine);
  if (choice.against != standard.against) options += " --against " + ShellQuoted(choice.against);
  if (!choice.mutant.empty()) options += " --mutant " + ShellQuoted(choice.mutant);
  return options;
}

Result<std::unique_ptr<WorkerEngines>> WorkerEngines::Make(const EngineChoice& choice) {
  auto engines = std::unique_ptr<WorkerEngines>(new WorkerEngines);
  EngineOptions options;
  options.timeout_s = choice.timeout_s;
  options.name = choice.against;
  TAGFLOW_ASSIGN_OR_RETURN(engines->against_, MakeEngine(options));
  options.name = choice.engine;
  options.mutant = choice.broken;
  TAGFLOW_ASSIGN_OR_RETURN(engines->engine_, MakeEngine(options));
  Setting& setting = engines->setting_;
  setting.engine = engines->engine_.get();
  setting.against = engines->against_.get();
  if (choice.broken != nullptr) setting.rules = &choice.broken->rules;
  if (IsOfReference(setting) && choice.broken == nullptr) {
    options.name = "optimized:1";
    TAGFLOW_ASSIGN_OR_RETURN(engines->peer_, MakeEngine(options));
    setting.peer = engines->peer_.get();
  }
  return engines;
}

}  // namespace tagflow::fuzz
