#include "cli/engine_choice.h"

namespace tagflow::cli {

EngineChoice ChooseEngine(const Args& args) {
  if (args.Has("--engine")) return {args.Last("--engine"), ""};
  const std::string trace = args.Last("--trace");
  if (args.Has("--races")) return {"reference", "--races"};
  if (trace.ends_with(".jsonl")) return {"reference", "--trace " + trace};
  if (args.Has("--watch")) return {"reference", "--watch " + args.Last("--watch")};
  if (args.Has("--seed")) return {"reference", "--seed " + args.Last("--seed")};
  return {"optimized", ""};
}

Status CheckEngineOptions(const Args& args, const EngineChoice& choice) {
  if (choice.engine != "reference") {
    for (const char* option : {"--races", "--watch"}) {
      if (!args.Has(option)) continue;
      return InvalidArgument(std::string(option) + " needs the reference: leave out --engine " +
                             choice.engine);
    }
    return Status();
  }
  for (const char* option : {"--passes", "--stats", "--times", "--devices", "--device-options",
                             "--placement", "--compress", "--recvs"}) {
    if (!args.Has(option)) continue;
    return InvalidArgument(std::string(option) + " is of the fast engine, and " +
                           (choice.because.empty() ? "--engine" : choice.because) +
                           " chose the reference: " +
                           (choice.because.empty() ? "leave one of them out"
                                                   : "leave one of them out, or say --engine "
                                                     "optimized"));
  }
  for (const char* option : {"--trace", "--watch", "--out", "--full"}) {
    if (!args.Has("--races") || !args.Has(option)) continue;
    return InvalidArgument("--races runs the step in many orders: leave out " +
                           std::string(option));
  }
  return Status();
}

}  // namespace tagflow::cli
