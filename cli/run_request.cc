#include "cli/run_request.h"

#include <cstdio>
#include <string>

#include "cli/engine_choice.h"
#include "cli/placing.h"

namespace tagflow::cli {

Status ReadDevices(const Args& args, const OpLibrary& library, EngineOptions& engine) {
  if (args.Has("--devices")) {
    TAGFLOW_ASSIGN_OR_RETURN(engine.devices, DevicesOf(args.Last("--devices")));
  }
  engine.device_kinds = *library.device_kinds;
  for (const std::string& options : args.All("--device-options")) {
    TAGFLOW_ASSIGN_OR_RETURN(engine.device_kinds,
                             optimized::WithKindOptions(engine.device_kinds, options));
  }
  engine.spread.compresses_floats = args.Has("--compress");
  engine.spread.soft = args.Has("--soft-placement");
  TAGFLOW_ASSIGN_OR_RETURN(engine.spread.recvs, RecvStartOf(args));
  const std::string placement = args.Has("--placement") ? args.Last("--placement") : "asked";
  if (placement == "cost") {
    engine.spread.placement = optimized::PlacementChoice::kByCost;
  } else if (placement != "asked") {
    return InvalidArgument("--placement is asked or cost, not '" + placement + "'");
  }
  return Status();
}

Result<RunRequest> ReadRunRequest(const Args& args, const OpLibrary& library) {
  if (args.operands().size() != 1) {
    return InvalidArgument("run takes one graph, and " + std::to_string(args.operands().size()) +
                           " are given");
  }
  RunRequest request;
  StepOptions& step = request.step;
  TAGFLOW_ASSIGN_OR_RETURN(step.max_firings, args.Int("--max-steps", 0, 1));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t seed, args.Int("--seed", 0, 0));
  step.seed = static_cast<uint64_t>(seed);
  TAGFLOW_ASSIGN_OR_RETURN(request.repeat, args.Int("--repeat", 1, 1));
  TAGFLOW_ASSIGN_OR_RETURN(request.engine.threads, args.Int("--threads", 0, 0));
  TAGFLOW_ASSIGN_OR_RETURN(step.deadline_s, args.Seconds("--deadline", 0));
  const EngineChoice choice = ChooseEngine(args);
  TAGFLOW_RETURN_IF_ERROR(CheckEngineOptions(args, choice));
  if (!choice.because.empty()) {
    std::fprintf(stderr, "note: %s: the reference runs the step\n", choice.because.c_str());
  }
  request.engine.engine = choice.engine;
  if (args.Has("--passes")) request.engine.passes = args.Last("--passes");
  TAGFLOW_RETURN_IF_ERROR(ReadDevices(args, library, request.engine));
  return request;
}

}  // namespace tagflow::cli
