#include "fuzz/harness/workbench.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/engines.h"

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

EngineChoice EngineFor(EngineChoice choice, uint64_t index) {
  enum class Threads : uint8_t { kOne, kAsNamed, kSimulated };
  struct Way {
    std::string_view name;
    Threads threads;  // unless the name says how many
  };
  using enum Threads;
  constexpr uint64_t kOrders = 12;
  constexpr Way kWays[] = {{"", kOne},
                           {"-tokens", kOne},
                           {"-simplified", kOne},
                           {"", kOne},
                           {"-tokens", kSimulated},
                           {"", kAsNamed},
                           {"-simplified", kOne},
                           {"-simplified", kOne},
                           {"-tokens", kAsNamed},
                           {"-tokens-simplified", kSimulated}};
  constexpr std::string_view kName = "optimized";
  // One with the seed of a schedule asks for just that.
  const std::string_view name = choice.engine;
  const bool has_threads = name.starts_with("optimized:") && std::ranges::count(name, ':') == 1;
  if (name != kName && !has_threads) return choice;
  // What kind of sample it is repeats each hundred, and each kind goes all ways.
  const Way& way = kWays[(index + index / 100) % std::size(kWays)];
  if (!has_threads && way.threads == kOne) choice.engine += ":1";
  if (!has_threads && way.threads == kSimulated) {
    // Three workers, in one of a few orders: each is an engine of its own, which is kept.
    choice.engine += ":3:" + std::to_string(1 + index / std::size(kWays) % kOrders);
  }
  choice.engine.insert(kName.size(), way.name);
  return choice;
}

namespace {

// Null for the reference by the standard, and for a program of its own.
std::unique_ptr<Runner> MakeRunner(const EngineChoice& choice) {
  if (choice.broken != nullptr) return ReferenceRunner(choice.broken->rules);
  const auto engine = conformance::OptimizedOptionsOf(choice.engine);
  if (!engine) return nullptr;
  optimized::SessionOptions options = conformance::SessionOptionsOf(*engine);
  if (engine->seed % 3 == 1) options.kernels = &AsyncKernels();
  return EngineRunner(options, engine->seed);
}

}  // namespace

Result<std::unique_ptr<Workbench>> Workbench::Make(const EngineChoice& choice) {
  auto bench = std::unique_ptr<Workbench>(new Workbench);
  SubjectOptions options;
  options.timeout_s = choice.timeout_s;
  options.name = choice.against;
  TAGFLOW_ASSIGN_OR_RETURN(bench->against_, MakeSubject(options));
  options.name = choice.engine;
  options.mutant = choice.broken;
  TAGFLOW_ASSIGN_OR_RETURN(bench->subject_, MakeSubject(options));
  Setting& setting = bench->setting_;
  setting.subject = bench->subject_.get();
  setting.against = bench->against_.get();
  setting.engine_name = choice.engine;
  setting.against_name = choice.against;
  if (choice.broken != nullptr) setting.rules = &choice.broken->rules;
  bench->runner_ = MakeRunner(choice);
  const bool is_reference = IsOfReference(setting);
  if (bench->runner_ != nullptr || !is_reference) setting.runner = bench->runner_.get();
  if (is_reference && choice.broken == nullptr) {
    options.name = "optimized:1";
    TAGFLOW_ASSIGN_OR_RETURN(bench->peer_, MakeSubject(options));
    setting.peer = bench->peer_.get();
  }
  return bench;
}

}  // namespace tagflow::fuzz
