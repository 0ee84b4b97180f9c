#ifndef TAGFLOW_CONFORMANCE_ENGINES_H_
#define TAGFLOW_CONFORMANCE_ENGINES_H_

// Engines by name, and programs that are engines.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/engine.h"
#include "conformance/op_library.h"
#include "conformance/optimized_servant.h"
#include "conformance/servant.h"
#include "graph/status.h"

namespace tagflow::conformance {

std::vector<std::string> BuiltInEngines();

// The built-in engine `name`, over the ops of `library`; NOT_FOUND, listing the engines there are.
Result<std::unique_ptr<Servant>> MakeServant(const std::string& name,
                                             const OpLibrary& library = {});

// How the engine is run where `name` is one of its names ("optimized", "optimized-tokens:4:7");
// nothing for other names.
std::optional<OptimizedOptions> OptimizedOptionsOf(std::string_view name);

struct EngineOptions {
  std::string engine = "reference";  // a built-in engine, or a command line for the shell
  bool in_process = false;           // built-in engines only
  double start_s = 120;              // for a process to say hello
  OpLibrary library = {};            // of an engine in this process
};

// A factory for the engine that the options name. A built-in one runs as this very program called
// with `serve --engine NAME`, unless in_process; that program brings its own op library.
//   Errors: INVALID_ARGUMENT for in_process with a command.
Result<EngineFactory> FactoryFor(const EngineOptions& options);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_ENGINES_H_
