#include "conformance/check_options.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>

namespace tagflow::conformance {

const std::string_view kCheckHelp = R"(usage: tagflow check [options] PATH...

Runs conformance cases against an engine. A case is a file: a graph, steps of feeds and fetches, and
what each step must give. PATH is such a file, or a folder, which stands for all .textproto and .case
files under it.

  --engine NAME|CMD   what to test: a built-in engine, or a command that speaks
                      conformance/engine.proto on its standard input and output. Built in are
                      reference (the default), optimized, and optimized with one of its executors
                      forced: optimized-straight, optimized-tokens; optimized-simplified and
                      optimized-tokens-simplified make every graph smaller by all passes first.
                      optimized:4 runs on 4 threads,
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

template <typename T>
Status ParseNumber(const std::string& text, T least, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= least) return Status();
  return InvalidArgument("'" + text + "' is not a number of at least " + std::to_string(least));
}

Status ParseShard(const std::string& text, CheckOptions& options) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return InvalidArgument("a shard is written I/N");
  TAGFLOW_RETURN_IF_ERROR(ParseNumber(text.substr(0, slash), 0, options.shard));
  TAGFLOW_RETURN_IF_ERROR(ParseNumber(text.substr(slash + 1), 1, options.shards));
  if (options.shard < options.shards) return Status();
  return InvalidArgument("shard " + text + ": I must be less than N");
}

using SetValue = std::function<Status(const std::string&, CheckOptions&)>;

SetValue Text(std::string CheckOptions::*field) {
  return [field](const std::string& text, CheckOptions& options) {
    options.*field = text;
    return Status();
  };
}

// The options that take a value.
const std::map<std::string, SetValue>& ValueOptions() {
  static const auto& table = *new std::map<std::string, SetValue>{
      {"--tsv", Text(&CheckOptions::tsv)},
      {"--junit", Text(&CheckOptions::junit)},
      {"--html", Text(&CheckOptions::html)},
      {"--expected-failures", Text(&CheckOptions::expected_failures)},
      {"--shard", ParseShard},
      {"--engine",
       [](const std::string& text, CheckOptions& options) {
         options.engine.engine = text;
         return text.empty() ? InvalidArgument("the engine's name is empty") : Status();
       }},
      {"--jobs", [](const std::string& text,
                    CheckOptions& options) { return ParseNumber(text, 1, options.jobs); }},
      {"--timeout",
       [](const std::string& text, CheckOptions& options) {
         TAGFLOW_RETURN_IF_ERROR(ParseNumber(text, 0.0, options.timeout_s));
         // A week: what a clock can surely hold.
         if (options.timeout_s > 0 && options.timeout_s <= 7 * 86400) return Status();
         return InvalidArgument("'" + text + "' is not a number of seconds above 0");
       }},
  };
  return table;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  Result<CheckOptions> Parse() {
    for (; place_ < arguments_.size() && !options_.help; ++place_) {
      TAGFLOW_RETURN_IF_ERROR(One(arguments_[place_]));
    }
    if (!options_.help && options_.paths.empty()) {
      return InvalidArgument("name at least one case or folder of cases");
    }
    return std::move(options_);
  }

 private:
  Status One(const std::string& argument) {
    if (only_paths_ || argument.size() < 2 || argument[0] != '-') {
      options_.paths.push_back(argument);
    } else if (argument == "--") {
      only_paths_ = true;
    } else if (argument == "--help" || argument == "-h") {
      options_.help = true;
    } else if (argument == "--in-process") {
      options_.engine.in_process = true;
    } else {
      return WithValue(argument);
    }
    return Status();
  }

  Status WithValue(const std::string& argument) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto option = ValueOptions().find(name);
    if (option == ValueOptions().end()) return InvalidArgument("unknown option " + name);
    if (equals == std::string::npos && place_ + 1 == arguments_.size()) {
      return InvalidArgument(name + " needs a value");
    }
    const std::string value =
        equals == std::string::npos ? arguments_[++place_] : argument.substr(equals + 1);
    const Status status = option->second(value, options_);
    return status.ok() ? status : InvalidArgument(name + ": " + status.message());
  }

  const std::vector<std::string>& arguments_;
  size_t place_ = 0;
  bool only_paths_ = false;
  CheckOptions options_;
};

}  // namespace

Result<CheckOptions> ParseCheckOptions(const std::vector<std::string>& arguments) {
  return Parser(arguments).Parse();
}

}  // namespace tagflow::conformance
