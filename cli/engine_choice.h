#ifndef TAGFLOW_CLI_ENGINE_CHOICE_H_
#define TAGFLOW_CLI_ENGINE_CHOICE_H_

// Which engine `tagflow run` takes where nobody says: the fast one, unless what is asked for is
// told by the reference alone.

#include <string>

#include "conformance/command/args.h"
#include "graph/status.h"

namespace tagflow::cli {

struct EngineChoice {
  std::string engine;
  // The option that chose the reference, as it was written: "--seed 3". Empty where --engine did,
  // or nothing.
  std::string because;
};

// --engine wins; else --seed, --races, --watch and a --trace whose file ends in .jsonl ask for the
// reference.
EngineChoice ChooseEngine(const Args& args);

// INVALID_ARGUMENT for an option of one engine given with the other.
Status CheckEngineOptions(const Args& args, const EngineChoice& choice);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_ENGINE_CHOICE_H_
