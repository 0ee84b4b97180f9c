#include "fuzz/command/fuzz_options.h"

#include "conformance/command/args.h"

namespace tagflow::fuzz {

const std::string_view kFuzzHelp =
    R"(usage: tagflow fuzz [--property P]... [options]
       tagflow fuzz --replay FILE [options]

Makes random programs (nested conditionals and loops, arrays, stacks, variables, control edges), runs
them on an engine, and holds what comes out to what must come out. What fails is shrunk to a few
lines and saved.

  --property P        what to check: a name that --list shows, or all; may be given more than once
                      (default: a mixture of nearly all, by weights that suit --engine; with
                      --profile or --index, equal: the same results)
  --engine NAME|CMD   what to test: reference (the default); reference:N, the same with ready nodes
                      in random order N; optimized, the engine in all its ways of running a step
                      (optimized-tokens, optimized-simplified, …: in that one); direct; or a
                      command that speaks conformance/engine.proto on its standard input and output
  --against NAME|CMD  what gives the expectation: direct (the default), the evaluator of the tree,
                      which knows no graphs; or anything that --engine may be
  --profile F         the kind of programs: a name that --list shows (default: the property's)
  --seed S            which programs (default: 1); program I of seed S is always the same
  --index I           begin with program I; without --count, run only that one
  --count N           how many programs, of each property that is named; else in all
  --seconds T         for how long; without --count and --seconds: 10
  --jobs J            processes at work (default: one for each processor)
  --timeout S         seconds that one program may take (default: 10)
  --report FILE       write what happened as JSON: rates, failures, what the programs were like
  --save DIR          where failures go (default: tagflow_fuzz)
  --shrink-seconds S  for making one failure smaller (default: 10; 0: keep it as it is)
  --examine N         shrink and save the first N failures of a property (default: 10); further ones
                      are counted
  --stop-at N         end after N failures
  --mutant NAME       run the reference by rules of which one is broken on purpose; --list shows them
  --replay FILE       run a saved program again; of a folder, all there are: a file that cannot be
                      read is named and skipped. May be given more than once. --property, --engine,
                      --against and --mutant win over what the file says
  --list              the properties, profiles and mutants there are

examples:
  tagflow fuzz --seconds 60
  tagflow fuzz --engine 'python3 my_engine.py' --profile tiny --count 1000 --report report.json
  tagflow fuzz --property gradient --seconds 30
  tagflow fuzz --mutant MUTANT --stop-at 1
  tagflow fuzz --replay tagflow_fuzz/equal-1-17.program

A failure is printed with its difference, the first token that went wrong, and a command that shows
it again. Three files' worth of it may be in --save DIR: NAME.program, the shrunk program as text (or
NAME.choices, where there is no program), and NAME.case, for `tagflow check`. The last line of the
output is `programs N, failures F, programs/s R`. A program that crashes or hangs what is under test
is a failure like any other, and the run goes on.

Exit code: 0 nothing failed; 1 something did; 2 the command line is wrong, or an engine cannot be
started; 130 stopped by Ctrl-C before anything failed.
)";

namespace {

const std::vector<OptionSpec>& Specs() {
  static const auto& specs = *new std::vector<OptionSpec>{
      {"--help", false}, {"-h", false}, {"--list", false}, {"--property"},       {"--engine"},
      {"--against"},     {"--mutant"},  {"--profile"},     {"--report"},         {"--save"},
      {"--replay"},      {"--seed"},    {"--index"},       {"--count"},          {"--seconds"},
      {"--jobs"},        {"--stop-at"}, {"--examine"},     {"--shrink-seconds"}, {"--timeout"},
  };
  return specs;
}

std::optional<std::string> Word(const Args& args, std::string_view option) {
  return args.Has(option) ? std::optional(args.Last(option)) : std::nullopt;
}

Result<std::optional<uint64_t>> Count(const Args& args, std::string_view option) {
  if (!args.Has(option)) return std::optional<uint64_t>();
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t number, args.Int(option, 0, 0));
  return std::optional(static_cast<uint64_t>(number));
}

Status ReadNumbers(const Args& args, FuzzOptions& options) {
  TAGFLOW_ASSIGN_OR_RETURN(options.index, Count(args, "--index"));
  TAGFLOW_ASSIGN_OR_RETURN(options.count, Count(args, "--count"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto seed, Count(args, "--seed"));
  TAGFLOW_ASSIGN_OR_RETURN(const auto examine, Count(args, "--examine"));
  options.seed = seed.value_or(options.seed);
  options.examine_max = examine.value_or(options.examine_max);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t stop_at, args.Int("--stop-at", 0, 1));
  options.stop_at = static_cast<uint64_t>(stop_at);
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t jobs, args.Int("--jobs", 0, 1, kMostJobs));
  options.jobs = static_cast<int>(jobs);
  TAGFLOW_ASSIGN_OR_RETURN(options.shrink_s, args.Seconds("--shrink-seconds", options.shrink_s));
  TAGFLOW_ASSIGN_OR_RETURN(options.timeout_s, args.Seconds("--timeout", options.timeout_s));
  if (options.timeout_s == 0) return InvalidArgument("--timeout: no program can be that quick");
  if (!args.Has("--seconds")) return Status();
  TAGFLOW_ASSIGN_OR_RETURN(options.seconds, args.Seconds("--seconds", 0));
  return Status();
}

// What does not go together, and what is left to be decided.
Status Complete(FuzzOptions& options) {
  const bool limited = options.count.has_value() || options.seconds.has_value();
  if (!options.replay.empty() && (limited || options.index.has_value())) {
    return InvalidArgument(
        "--replay runs what is in the files: --count, --seconds and --index "
        "choose among random programs");
  }
  if (options.index.has_value() && !limited) options.count = 1;
  if (!limited && !options.index.has_value()) options.seconds = 10;
  return Status();
}

}  // namespace

Result<FuzzOptions> ParseFuzzOptions(const std::vector<std::string>& arguments) {
  TAGFLOW_ASSIGN_OR_RETURN(const Args args, Args::Parse(arguments, Specs()));
  if (!args.operands().empty()) {
    return InvalidArgument("'" + args.operands()[0] + "' belongs to no option");
  }
  FuzzOptions options;
  options.help = args.Has("--help") || args.Has("-h");
  options.list = args.Has("--list");
  if (options.help) return options;
  TAGFLOW_RETURN_IF_ERROR(args.RefuseEmpty());
  options.properties = args.All("--property");
  options.replay = args.All("--replay");
  options.engine = Word(args, "--engine");
  options.against = Word(args, "--against");
  options.mutant = Word(args, "--mutant");
  options.profile = Word(args, "--profile");
  options.report = args.Last("--report");
  options.save = args.Last("--save", options.save);
  TAGFLOW_RETURN_IF_ERROR(ReadNumbers(args, options));
  TAGFLOW_RETURN_IF_ERROR(Complete(options));
  return options;
}

}  // namespace tagflow::fuzz
