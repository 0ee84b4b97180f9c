#include "conformance/check_options.h"

#include <charconv>

#include "conformance/command/args.h"

namespace tagflow::conformance {

const std::string_view kCheckHelp = R"(usage: tagflow check [options] PATH...

Runs conformance cases against an engine. A case is a file: a graph, steps of feeds and fetches, and
what each step must give. PATH is such a file, or a folder, which stands for all .textproto and .case
files under it.

  --engine NAME|CMD   what to test: a built-in engine, or a command that speaks
                      conformance/engine.proto on its standard input and output. Built in are
                      reference (the default), optimized, and optimized with one of its executors
                      forced: optimized-straight, optimized-tokens; optimized-simplified and
                      optimized-tokens-simplified make every graph smaller by all passes first;
                      optimized-unlowered runs the bodies of functions as steps of their own;
                      optimized-native compiles loops to machine code at once, and with a seed after
                      SEED % 7 iterations, as optimized-unlowered does with one;
                      optimized-borrowing borrows the feeds' memory, and is checked for changing or
                      keeping it. optimized:4 runs on 4 threads,
                      optimized-tokens:4:7 simulates 4 in a schedule drawn from the seed 7
  --in-process        run a built-in engine inside this process: quicker, but a crash ends the run
  --jobs N            engines at once (default: one per processor)
  --timeout S         seconds that one case may take (default: 20)
  --expected-failures FILE
                      known failures, a case name and a reason per line; a listed case that passes is
                      an error too
  --tsv FILE          write a line per case: name, PASS|FAIL|UNSUPPORTED|CRASH|TIMEOUT, why
  --junit FILE        write JUnit XML
  --html FILE         write a page to read
  --shard I/N         run only every N-th case, from the I-th (0 to N-1)

examples:
  tagflow check conformance/cases
  tagflow check --jobs 1 --html report.html conformance/cases/merge
  tagflow check --engine 'python3 my_engine.py' --expected-failures known.txt conformance/cases

Exit code: 0 if nothing failed, crashed or timed out (UNSUPPORTED and expected failures do not
count); 1 if something did; 2 if the command line is wrong or the engine cannot be started.
)";

namespace {

const std::vector<OptionSpec>& Specs() {
  static const auto& specs = *new std::vector<OptionSpec>{
      {"--help", false},
      {"-h", false},
      {"--in-process", false},
      {"--engine"},
      {"--jobs"},
      {"--timeout"},
      {"--expected-failures"},
      {"--tsv"},
      {"--junit"},
      {"--html"},
      {"--shard"},
  };
  return specs;
}

Status ReadShard(const Args& args, CheckOptions& options) {
  const std::string text = args.Last("--shard");
  const char* const end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, options.shard);
  if (error != std::errc() || slash == end || *slash != '/') {
    return InvalidArgument("--shard takes I/N, not '" + text + "'");
  }
  const auto [stop, wrong] = std::from_chars(slash + 1, end, options.shards);
  const bool is_shard = wrong == std::errc() && stop == end && options.shard >= 0;
  if (is_shard && options.shard < options.shards) return Status();
  return InvalidArgument("--shard " + text + ": I must be less than N");
}

}  // namespace

Result<CheckOptions> ParseCheckOptions(const std::vector<std::string>& arguments) {
  TAGFLOW_ASSIGN_OR_RETURN(const Args args, Args::Parse(arguments, Specs()));
  CheckOptions options;
  options.help = args.Has("--help") || args.Has("-h");
  if (options.help) return options;
  TAGFLOW_RETURN_IF_ERROR(args.RefuseEmpty());
  options.engine.engine = args.Last("--engine", options.engine.engine);
  options.engine.in_process = args.Has("--in-process");
  options.tsv = args.Last("--tsv");
  options.junit = args.Last("--junit");
  options.html = args.Last("--html");
  options.expected_failures = args.Last("--expected-failures");
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t jobs, args.Int("--jobs", 0, 1, kMostJobs));
  options.jobs = static_cast<int>(jobs);
  TAGFLOW_ASSIGN_OR_RETURN(options.timeout_s, args.Seconds("--timeout", options.timeout_s));
  if (options.timeout_s == 0) return InvalidArgument("--timeout: no case can be that quick");
  if (args.Has("--shard")) TAGFLOW_RETURN_IF_ERROR(ReadShard(args, options));
  options.paths = args.operands();
  if (options.paths.empty()) return InvalidArgument("name at least one case or folder of cases");
  return options;
}

}  // namespace tagflow::conformance
