#include "conformance/engines.h"

#include <unistd.h>

#include <algorithm>
#include <climits>

#include "conformance/reference_servant.h"
#include "conformance/subprocess_engine.h"

namespace tagflow::conformance {
namespace {

bool IsBuiltIn(const std::string& name) {
  const std::vector<std::string> names = BuiltInEngines();
  return std::find(names.begin(), names.end(), name) != names.end();
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

std::vector<std::string> BuiltInEngines() { return {"reference"}; }

Result<std::unique_ptr<Servant>> MakeServant(const std::string& name, const OpLibrary& library) {
  if (name == "reference") return MakeReferenceServant(library);
  std::string message = "there is no built-in engine '" + name + "'; there is:";
  for (const std::string& engine : BuiltInEngines()) message += " " + engine;
  return NotFound(message);
}

Result<EngineFactory> FactoryFor(const EngineOptions& options) {
  const std::string name = options.engine;
  const double start_s = options.start_s;
  if (!IsBuiltIn(name)) {
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
