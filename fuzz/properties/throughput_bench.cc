// How many programs and firings per second one core gets through, and where the time goes:
//   throughput_bench [PROFILE [COUNT [SEED]]]
// Times are of this process on its core, whatever else the machine does.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "fuzz/direct/compare.h"
#include "fuzz/direct/direct.h"
#include "fuzz/generate/generate.h"
#include "fuzz/lower/lower.h"
#include "fuzz/program/text.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

struct Totals {
  double generate = 0, direct = 0, lower = 0, reference = 0, compare = 0;  // seconds
  int64_t programs = 0, firings = 0, nodes = 0, failures = 0;

  double seconds() const { return generate + direct + lower + reference + compare; }
};

double Seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Adds the time since the last lap.
class Watch {
 public:
  void Lap(double& total) {
    const double now = Seconds();
    total += now - last_;
    last_ = now;
  }

 private:
  double last_ = Seconds();
};

Result<std::vector<std::vector<Tensor>>> RunOnReference(const Program& program, Lowered lowered,
                                                        int64_t& firings) {
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           reference::Session::Create(std::move(lowered.graph)));
  reference::RunOptions options;
  options.max_firings = 100'000'000;
  options.order = [&firings](const std::deque<reference::Ready>&) {
    ++firings;
    return size_t{0};
  };
  if (!lowered.init.empty()) {
    TAGFLOW_RETURN_IF_ERROR(session->Run({}, {}, lowered.init, options).status());
  }
  std::vector<std::vector<Tensor>> runs;
  for (int run = 0; run < program.runs; ++run) {
    TAGFLOW_ASSIGN_OR_RETURN(
        std::vector<Tensor> values,
        session->Run(FeedsOf(program, lowered, run), lowered.fetches, {}, options));
    runs.push_back(std::move(values));
  }
  return runs;
}

void Report(uint64_t seed, const Program& program, const std::string& why, Totals& totals) {
  ++totals.failures;
  if (totals.failures > 5) return;
  std::printf("seed %llu: %s\n%s\n", static_cast<unsigned long long>(seed), why.c_str(),
              ToText(program).c_str());
}

void One(uint64_t seed, const Profile& profile, Totals& totals) {
  Watch watch;
  Choices choices = Choices::FromSeed(seed);
  const Program program = GenerateProgram(choices, profile);
  watch.Lap(totals.generate);
  ++totals.programs;
  const Result<std::vector<RunResult>> expected = Evaluate(program);
  watch.Lap(totals.direct);
  if (!expected.ok()) return Report(seed, program, expected.status().ToString(), totals);
  Result<Lowered> lowered = Lower(program);
  watch.Lap(totals.lower);
  if (!lowered.ok()) return Report(seed, program, lowered.status().ToString(), totals);
  totals.nodes += static_cast<int64_t>(lowered->graph.num_nodes());
  const auto actual = RunOnReference(program, *std::move(lowered), totals.firings);
  watch.Lap(totals.reference);
  if (!actual.ok()) return Report(seed, program, actual.status().ToString(), totals);
  const Result<Verdict> verdict = Judge(program, *expected, *actual);
  watch.Lap(totals.compare);
  if (!verdict.ok()) return Report(seed, program, verdict.status().ToString(), totals);
  if (!verdict->difference.empty()) Report(seed, program, verdict->difference, totals);
}

int Main(int argc, char** argv) {
  const Result<Profile> profile = ProfileOf(argc > 1 ? argv[1] : "default");
  if (!profile.ok()) {
    std::fprintf(stderr, "%s\n", profile.status().ToString().c_str());
    return 1;
  }
  const int count = argc > 2 ? std::atoi(argv[2]) : 1000;
  const uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  Totals totals;
  for (int i = 0; i < count; ++i) One(first + static_cast<uint64_t>(i), *profile, totals);
  const double n = static_cast<double>(totals.programs) / 1e6;
  std::printf(
      "%s: programs %lld, failures %lld, programs/s %.0f, firings/s of the reference %.0f\n"
      "a program: %.0f nodes, %.0f firings; us: generate %.0f, direct %.0f, lower %.0f, "
      "reference %.0f, compare %.0f\n",
      profile->name.c_str(), static_cast<long long>(totals.programs),
      static_cast<long long>(totals.failures),
      static_cast<double>(totals.programs) / totals.seconds(),
      static_cast<double>(totals.firings) / totals.reference,
      static_cast<double>(totals.nodes) / (n * 1e6),
      static_cast<double>(totals.firings) / (n * 1e6), totals.generate / n, totals.direct / n,
      totals.lower / n, totals.reference / n, totals.compare / n);
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tagflow::fuzz

int main(int argc, char** argv) { return tagflow::fuzz::Main(argc, argv); }
