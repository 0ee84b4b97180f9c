#include "conformance/engines.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>

#include "conformance/reference_servant.h"
#include "conformance/subprocess_engine.h"

namespace tagflow::conformance {
namespace {

// "optimized-tokens:4:7": an engine's name, and for ours threads and the seed of schedules.
struct EngineName {
  std::string base;
  int threads = 0;
  uint64_t seed = 0;
};

template <typename T>
bool ParseNumber(std::string_view text, T& value) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && stop == text.data() + text.size() && value >= 0;
}

// Nothing for a name that is not written so, or that no engine here has.
std::optional<EngineName> ParseEngineName(std::string_view name) {
  EngineName parsed;
  const size_t threads = name.find(':');
  parsed.base = name.substr(0, threads);
  const std::vector<std::string> names = BuiltInEngines();
  if (std::find(names.begin(), names.end(), parsed.base) == names.end()) return std::nullopt;
  if (threads == name.npos) return parsed;
  if (parsed.base == "reference") return std::nullopt;
  name.remove_prefix(threads + 1);
  const size_t seed = name.find(':');
  if (!ParseNumber(name.substr(0, seed), parsed.threads)) return std::nullopt;
  if (seed != name.npos && !ParseNumber(name.substr(seed + 1), parsed.seed)) return std::nullopt;
  return parsed;
}

Result<std::string> ThisProgram() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) return Internal("cannot find the path of this program");
  return std::string(path, static_cast<size_t>(length));
}

Result<std::unique_ptr<Engine>> MakeInProcess(const std::string& name, const OpLibrary& library) {
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<Servant> servant, MakeServant(name, library));
  return std::unique_ptr<Engine>(std::make_unique<InProcessEngine>(std::move(servant)));
}

Result<std::unique_ptr<Engine>> StartProcess(const std::vector<std::string>& arguments,
                                             double start_s) {
  TAGFLOW_ASSIGN_OR_RETURN(std::unique_ptr<SubprocessEngine> engine,
                           SubprocessEngine::Start(arguments, start_s));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace

std::vector<std::string> BuiltInEngines() {
  return {"reference",
          "optimized",
          "optimized-straight",
          "optimized-native",
          "optimized-tokens",
          "optimized-simplified",
          "optimized-tokens-simplified",
          "optimized-unlowered",
          "optimized-borrowing",
          "optimized-gpu",
          "optimized-gpu-native",
          "optimized-gpu-tokens"};
}

Result<std::unique_ptr<Servant>> MakeServant(const std::string& name, const OpLibrary& library) {
  const std::optional<EngineName> parsed = ParseEngineName(name);
  if (!parsed) {
    std::string message = "there is no built-in engine '" + name + "'; there is:";
    for (const std::string& engine : BuiltInEngines()) message += " " + engine;
    return NotFound(message + "; the optimized ones also as NAME:THREADS and NAME:THREADS:SEED");
  }
  if (parsed->base == "reference") return MakeReferenceServant(library);
  return MakeOptimizedServant(library, *OptimizedOptionsOf(name));
}

std::optional<OptimizedOptions> OptimizedOptionsOf(std::string_view name) {
  const std::optional<EngineName> parsed = ParseEngineName(name);
  if (!parsed || parsed->base == "reference") return std::nullopt;
  OptimizedOptions options{.name = parsed->base, .threads = parsed->threads, .seed = parsed->seed};
  options.simplify = parsed->base.ends_with("-simplified");
  const bool is_unlowered = parsed->base == "optimized-unlowered";
  options.lowers_functions = !is_unlowered;
  options.borrows_feeds = parsed->base == "optimized-borrowing";
  if (parsed->base == "optimized-straight") {
    options.executor = optimized::ExecutorChoice::kStraight;
  } else if (parsed->base.ends_with("-native") || (is_unlowered && parsed->seed != 0)) {
    // A seed says how far a loop has run, or how often a body, when it becomes machine code.
    constexpr uint64_t kMostIterations = 7;
    options.native = {optimized::NativeChoice::kAlways,
                      static_cast<int64_t>(parsed->seed % kMostIterations)};
    options.seed = 0;
  } else if (parsed->base.find("-tokens") != std::string::npos || parsed->seed != 0) {
    options.executor = optimized::ExecutorChoice::kSharedTokens;
  }
  // Each node on the GPU that has a kernel there.
  if (parsed->base.starts_with("optimized-gpu")) {
    options.devices = {"/device:GPU:0", "/device:CPU:0"};
  }
  return options;
}

Result<EngineFactory> FactoryFor(const EngineOptions& options) {
  const std::string name = options.engine;
  const double start_s = options.start_s;
  if (!ParseEngineName(name)) {
    if (options.in_process) {
      return InvalidArgument("--in-process runs built-in engines only, and '" + name + "' is none");
    }
    // exec: the shell becomes the engine, so that its death is seen as the engine's.
    const std::vector<std::string> arguments = {"/bin/sh", "-c", "exec " + name};
    return EngineFactory([=] { return StartProcess(arguments, start_s); });
  }
  if (options.in_process) {
    return EngineFactory([=, library = options.library] { return MakeInProcess(name, library); });
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::string program, ThisProgram());
  const std::vector<std::string> arguments = {program, "serve", "--engine", name};
  return EngineFactory([=] { return StartProcess(arguments, start_s); });
}

}  // namespace tagflow::conformance
