#include "fuzz/command/fuzz_options.h"

#include <charconv>
#include <functional>
#include <map>

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

template <typename T>
Status ParseNumber(const std::string& text, T least, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= least) return Status();
  return InvalidArgument("'" + text + "' is not a number of at least " + std::to_string(least));
}

// A week: what a clock can surely hold.
Status ParseSeconds(const std::string& text, double& value) {
  TAGFLOW_RETURN_IF_ERROR(ParseNumber(text, 0.0, value));
  return value <= 7 * 86400 ? Status() : InvalidArgument("that is more than a week");
}

using SetValue = std::function<Status(const std::string&, FuzzOptions&)>;

template <typename Field>
SetValue Text(Field FuzzOptions::*field) {
  return [field](const std::string& text, FuzzOptions& options) {
    if (text.empty()) return InvalidArgument("the value is empty");
    if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
      (options.*field).push_back(text);
    } else {
      options.*field = text;
    }
    return Status();
  };
}

template <typename T>
SetValue Number(T FuzzOptions::*field, T least) {
  return [field, least](const std::string& text, FuzzOptions& options) {
    return ParseNumber(text, least, options.*field);
  };
}

SetValue Number(std::optional<uint64_t> FuzzOptions::*field) {
  return [field](const std::string& text, FuzzOptions& options) {
    return ParseNumber<uint64_t>(text, 0, (options.*field).emplace());
  };
}

SetValue Seconds(double FuzzOptions::*field) {
  return [field](const std::string& text, FuzzOptions& options) {
    return ParseSeconds(text, options.*field);
  };
}

// The options that take a value.
const std::map<std::string, SetValue>& ValueOptions() {
  static const auto& table = *new std::map<std::string, SetValue>{
      {"--property", Text(&FuzzOptions::properties)},
      {"--engine", Text(&FuzzOptions::engine)},
      {"--against", Text(&FuzzOptions::against)},
      {"--mutant", Text(&FuzzOptions::mutant)},
      {"--profile", Text(&FuzzOptions::profile)},
      {"--report", Text(&FuzzOptions::report)},
      {"--save", Text(&FuzzOptions::save)},
      {"--replay", Text(&FuzzOptions::replay)},
      {"--seed", Number(&FuzzOptions::seed, uint64_t{0})},
      {"--index", Number(&FuzzOptions::index)},
      {"--count", Number(&FuzzOptions::count)},
      {"--jobs",
       [](const std::string& text, FuzzOptions& options) {
         TAGFLOW_RETURN_IF_ERROR(ParseNumber(text, 1, options.jobs));
         return options.jobs <= 1024 ? Status() : InvalidArgument("that is more than 1024");
       }},
      {"--stop-at", Number(&FuzzOptions::stop_at, uint64_t{1})},
      {"--examine", Number(&FuzzOptions::examine_max, uint64_t{0})},
      {"--shrink-seconds", Seconds(&FuzzOptions::shrink_s)},
      {"--timeout",
       [](const std::string& text, FuzzOptions& options) {
         TAGFLOW_RETURN_IF_ERROR(ParseSeconds(text, options.timeout_s));
         return options.timeout_s > 0 ? Status() : InvalidArgument("no program can be that quick");
       }},
      {"--seconds",
       [](const std::string& text, FuzzOptions& options) {
         return ParseSeconds(text, options.seconds.emplace());
       }},
  };
  return table;
}

Status Apply(const std::string& name, const std::string& value, FuzzOptions& options) {
  const Status status = ValueOptions().at(name)(value, options);
  return status.ok() ? status : InvalidArgument(name + ": " + status.message());
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
  const uint64_t first = options.index.value_or(0);
  if (options.count.has_value() && first + *options.count < first) {
    return InvalidArgument("--index and --count: there are no such programs");
  }
  return Status();
}

}  // namespace

Result<FuzzOptions> ParseFuzzOptions(const std::vector<std::string>& arguments) {
  FuzzOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    if (argument == "--list") {
      options.list = true;
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (!ValueOptions().contains(name)) {
      return InvalidArgument(argument.starts_with("-") ? "there is no option " + name
                                                       : "'" + argument + "' belongs to no option");
    }
    if (equals == std::string::npos && i + 1 == arguments.size()) {
      return InvalidArgument(name + " needs a value");
    }
    const std::string value =
        equals == std::string::npos ? arguments[++i] : argument.substr(equals + 1);
    TAGFLOW_RETURN_IF_ERROR(Apply(name, value, options));
  }
  TAGFLOW_RETURN_IF_ERROR(Complete(options));
  return options;
}

}  // namespace tagflow::fuzz
