#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "conformance/command/args.h"
#include "conformance/command/interrupt.h"
#include "conformance/command/rewritten_line.h"
#include "fuzz/command/commands.h"
#include "fuzz/command/fuzz_options.h"
#include "fuzz/command/listing.h"
#include "fuzz/engines/engine_names.h"
#include "fuzz/harness/campaign.h"
#include "fuzz/harness/describe_programs.h"
#include "fuzz/harness/mixture.h"
#include "fuzz/harness/mutant_names.h"
#include "fuzz/harness/registry.h"
#include "fuzz/harness/replay.h"
#include "fuzz/harness/report.h"

namespace tagflow::fuzz {
namespace {

int Fail(const Status& status) {
  std::fprintf(stderr, "tagflow fuzz: %s\n", status.message().c_str());
  return kExitUsage;
}

int ExitCode(const Outcome& outcome) {
  if (outcome.Total().failures > 0) return kExitFailed;
  return outcome.interrupted ? kExitInterrupted : kExitOk;
}

// The properties that are named; else those of a plain run, or `equal` where a profile or a sample
// of it is asked for.
Result<std::vector<Claim>> ClaimsOf(const FuzzOptions& options) {
  std::vector<std::string> names = options.properties;
  if (names.empty() && !options.profile && !options.index) {
    return PlainRun(options.engine.value_or("reference"));
  }
  if (names.empty()) names = {"equal"};
  std::vector<Property> properties;
  for (const std::string& name : names) {
    if (name == "all") {
      properties.insert(properties.end(), AllProperties().begin(), AllProperties().end());
    } else {
      TAGFLOW_ASSIGN_OR_RETURN(Property property, PropertyOf(name));
      properties.push_back(std::move(property));
    }
  }
  std::vector<Claim> claims;
  for (Property& property : properties) {
    TAGFLOW_ASSIGN_OR_RETURN(Profile profile,
                             ProfileOf(options.profile.value_or(property.profile)));
    claims.push_back({std::move(property), std::move(profile)});
  }
  return claims;
}

int Processors() { return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1); }

Result<Campaign> CampaignOf(const FuzzOptions& options) {
  Campaign campaign;
  TAGFLOW_ASSIGN_OR_RETURN(campaign.claims, ClaimsOf(options));
  EngineChoice& engines = campaign.engines;
  engines.engine = options.engine.value_or(engines.engine);
  engines.against = options.against.value_or(engines.against);
  engines.mutant = options.mutant.value_or("");
  engines.timeout_s = options.timeout_s;
  TAGFLOW_ASSIGN_OR_RETURN(engines.broken, MutantOf(engines.mutant));
  if (engines.broken != nullptr) {
    TAGFLOW_ASSIGN_OR_RETURN(const ReferenceName name, ParseReferenceName(engines.engine));
    if (!name.is_reference) {
      return InvalidArgument("--mutant breaks a rule of the reference, and --engine is '" +
                             engines.engine + "'");
    }
  }
  campaign.seed = options.seed;
  campaign.first = options.index.value_or(0);
  campaign.count = options.count;
  // That many of each property that is named.
  if (campaign.count && !options.properties.empty()) *campaign.count *= campaign.claims.size();
  campaign.seconds = options.seconds;
  campaign.stop_at = options.stop_at;
  campaign.jobs = options.jobs > 0 ? options.jobs : Processors();
  campaign.shrink_s = options.shrink_s;
  campaign.examine_max = options.examine_max;
  campaign.save = options.save;
  return campaign;
}

Status WriteReport(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  return file ? Status() : FailedPrecondition("cannot write " + path);
}

int RunFuzz(const FuzzOptions& options) {
  const Result<Campaign> campaign = CampaignOf(options);
  if (!campaign.ok()) return Fail(campaign.status());
  // An hour of fuzzing is not to be lost to a folder that is not there.
  if (!options.report.empty()) {
    if (Status status = WriteReport(options.report, ""); !status.ok()) return Fail(status);
  }
  RewrittenLine progress(stderr, isatty(STDERR_FILENO) != 0);
  Listener listener;
  listener.interrupted = Interrupted;
  listener.on_time = [&](const Tally& total, double seconds) {
    progress.Update([&] { return ProgressText(*campaign, total, seconds); }, "  (Ctrl-C stops)");
  };
  listener.on_failure = [&](const Failure& failure) {
    progress.Wipe();
    std::fputs(FailureText(*campaign, failure).c_str(), stdout);
    std::fflush(stdout);
  };
  CatchInterrupts();
  const Result<Outcome> outcome = RunCampaign(*campaign, listener);
  progress.Wipe();
  if (!outcome.ok()) return Fail(outcome.status());
  int exit_code = ExitCode(*outcome);
  if (!options.report.empty()) {
    const Status written = WriteReport(
        options.report, ReportJson(*campaign, *outcome, DescribePrograms(*campaign, *outcome)));
    if (!written.ok()) exit_code = Fail(written);
  }
  std::fputs(SummaryText(*outcome).c_str(), stdout);
  return exit_code;
}

void PrintReplayed(const Replayed& replayed) {
  const char* const path = replayed.path.c_str();
  if (replayed.unreadable.has_value()) {
    std::fflush(stdout);
    std::fprintf(stderr, "skipped %s: %s\n", path, replayed.unreadable->c_str());
    return;
  }
  std::printf("%s: %s %s%s%s\n", path, replayed.property.c_str(),
              KindName(replayed.finding.kind).c_str(), replayed.finding.why.empty() ? "" : ": ",
              replayed.finding.why.c_str());
  std::fputs(replayed.tokens.c_str(), stdout);
}

int RunReplay(const FuzzOptions& options) {
  ReplayOptions replay;
  replay.paths = options.replay;
  if (options.properties.size() > 1) {
    return Fail(InvalidArgument("--replay takes one --property at most"));
  }
  if (!options.properties.empty()) replay.property = options.properties[0];
  replay.engine = options.engine;
  replay.against = options.against;
  replay.mutant = options.mutant;
  replay.timeout_s = options.timeout_s;
  replay.interrupted = Interrupted;
  CatchInterrupts();
  const Result<Outcome> outcome = Replay(replay, PrintReplayed);
  if (!outcome.ok()) return Fail(outcome.status());
  std::fputs(SummaryText(*outcome).c_str(), stdout);
  if (outcome->Total().programs == 0 && !outcome->interrupted) {
    return Fail(NotFound("there was nothing to replay"));
  }
  return ExitCode(*outcome);
}

}  // namespace

int FuzzCommand(int argc, char** argv) {
  const Result<FuzzOptions> options = ParseFuzzOptions({argv + 1, argv + argc});
  if (!options.ok()) {
    std::fprintf(stderr, "tagflow fuzz: %s (--help says more)\n",
                 options.status().message().c_str());
    return kExitUsage;
  }
  if (options->help) {
    std::fwrite(kFuzzHelp.data(), 1, kFuzzHelp.size(), stdout);
    return kExitOk;
  }
  if (options->list) {
    std::fputs(Listing().c_str(), stdout);
    return kExitOk;
  }
  return options->replay.empty() ? RunFuzz(*options) : RunReplay(*options);
}

}  // namespace tagflow::fuzz
