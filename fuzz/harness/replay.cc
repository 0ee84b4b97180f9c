#include "fuzz/harness/replay.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "fuzz/harness/explain.h"
#include "fuzz/harness/mutant_names.h"
#include "fuzz/harness/registry.h"
#include "fuzz/harness/sample.h"
#include "fuzz/harness/slots.h"
#include "graph/io/parse.h"

namespace tagflow::fuzz {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> FindFiles(const std::vector<std::string>& paths) {
  std::set<std::string> found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) return NotFound(path + ": there is no such file or folder");
    if (!fs::is_directory(path, error)) {
      found.insert(path);
      continue;
    }
    for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path ending = entry->path().extension();
      if (ending == ".program" || ending == ".choices" || ending == ".txt")
        found.insert(entry->path().string());
    }
  }
  return std::vector<std::string>(found.begin(), found.end());
}

struct Loaded {
  Property property;
  EngineChoice engines;
  Sample sample;
};

Result<Loaded> Load(const std::string& path, const ReplayOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  TAGFLOW_ASSIGN_OR_RETURN(Saved saved, ReadSaved(text));
  EngineChoice engines = saved.engines;
  engines.engine = options.engine.value_or(engines.engine);
  engines.against = options.against.value_or(engines.against);
  engines.mutant = options.mutant.value_or(engines.mutant);
  engines.timeout_s = options.timeout_s;
  TAGFLOW_ASSIGN_OR_RETURN(engines.broken, MutantOf(engines.mutant));
  const std::string name =
      options.property.value_or(saved.property.empty() ? "equal" : saved.property);
  TAGFLOW_ASSIGN_OR_RETURN(Property property, PropertyOf(name));
  const bool is_program = saved.sample.program.has_value();
  if (is_program ? !property.check : !property.check_choices) {
    return InvalidArgument("property '" + name + "' is " + (is_program ? "not " : "only ") +
                           "about programs");
  }
  return Loaded{std::move(property), std::move(engines), std::move(saved.sample)};
}

Replayed ReplayFile(const std::string& path, const ReplayOptions& options) {
  Replayed replayed;
  replayed.path = path;
  const Result<Loaded> loaded = Load(path, options);
  if (!loaded.ok()) {
    replayed.unreadable = loaded.status().message();
    return replayed;
  }
  replayed.property = loaded->property.name;
  replayed.finding =
      CheckIsolated(loaded->property, loaded->sample, loaded->engines, 2 * options.timeout_s + 1);
  if (replayed.finding.kind == Finding::Kind::kFails && loaded->sample.program.has_value()) {
    replayed.tokens = Explain(*loaded->sample.program, loaded->engines);
  }
  return replayed;
}

}  // namespace

Result<Outcome> Replay(const ReplayOptions& options,
                       const std::function<void(const Replayed&)>& each) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<std::string> files, FindFiles(options.paths));
  const int64_t began = NowNs();
  Outcome outcome;
  outcome.tallies.resize(1);
  Tally& tally = outcome.tallies[0];
  for (const std::string& file : files) {
    outcome.interrupted = options.interrupted && options.interrupted();
    if (outcome.interrupted) break;
    const Replayed replayed = ReplayFile(file, options);
    each(replayed);
    if (replayed.unreadable.has_value()) continue;
    tally.Add({1, replayed.finding.bad() ? 1u : 0u,
               replayed.finding.kind == Finding::Kind::kUnsupported ? 1u : 0u,
               static_cast<uint64_t>(replayed.finding.firings), 0});
  }
  outcome.seconds = static_cast<double>(NowNs() - began) * 1e-9;
  return outcome;
}

}  // namespace tagflow::fuzz
