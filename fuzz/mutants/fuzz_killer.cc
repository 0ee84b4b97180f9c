#include "fuzz/mutants/fuzz_killer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/profile.h"
#include "fuzz/graphs/properties.h"
#include "fuzz/mutants/graph_judge.h"
#include "fuzz/mutants/program_judge.h"
#include "fuzz/program/text.h"
#include "fuzz/shrink/shrink.h"
#include "fuzz/shrink/shrink_choices.h"

namespace tagflow::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Turn about, with a graph after each; small programs are quick to run and to shrink.
constexpr std::array kProfiles = {"tiny", "default",  "tiny", "effects", "arrays",
                                  "tiny", "specials", "deep", "default", "specials"};

constexpr std::array kGraphs = {"small-steps", "orders",   "refusal", "run-ahead", "small-steps",
                                "refusal",     "exported", "stops",   "refusal",   "subset"};

bool HasHooks(const Mutant& mutant) {
  return !mutant.kernels.empty() || mutant.rewrite || mutant.options || mutant.report ||
         mutant.after_step || mutant.history;
}

class Hunt {
 public:
  Hunt(const Mutant& mutant, const FuzzBudget& budget)
      : mutant_(mutant), budget_(budget), start_(Clock::now()) {}

  std::optional<FuzzKill> Go() {
    for (int64_t i = 0; i < budget_.samples && Seconds() < budget_.seconds; ++i) {
      const uint64_t seed = budget_.seed * 1'000'003 + static_cast<uint64_t>(i);
      const auto turn = static_cast<size_t>(i / 2);
      std::optional<FuzzKill> kill =
          i % 2 == 0 ? TryProgram(kProfiles[turn % kProfiles.size()], seed)
                     : TryGraph(*FindGraphProperty(kGraphs[turn % kGraphs.size()]), seed);
      if (!kill.has_value()) continue;
      kill->samples = i + 1;
      return kill;
    }
    return std::nullopt;
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  ShrinkOptions ShrinkLimits() const {
    ShrinkOptions options;
    options.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(budget_.seconds));
    return options;
  }

  std::optional<FuzzKill> TryProgram(const std::string& name, uint64_t seed) {
    const Result<Profile> profile = ProfileOf(name);
    if (!profile.ok()) return std::nullopt;
    Choices choices = Choices::FromSeed(seed);
    const Program program = GenerateProgram(choices, *profile);
    const auto wrong = [&](const Program& tried) { return WrongByProgram(tried, mutant_, seed); };
    FuzzKill kill;
    kill.why = wrong(program);
    if (kill.why.empty()) return std::nullopt;
    kill.by = "program, profile " + name;
    kill.seconds = Seconds();
    kill.size = kill.shrunk = Size(program);
    if (!budget_.shrink) return kill;
    const Program small = Shrink(
        program, [&](const Program& tried) { return !wrong(tried).empty(); }, ShrinkLimits());
    kill.shrunk = Size(small);
    kill.text = ToText(small);
    return kill;
  }

  // What the property says of the sample that these choices make.
  std::pair<std::string, GraphSample> CheckGraph(const GraphProperty& property, Choices& choices,
                                                 uint64_t seed) const {
    GraphSample sample = property.generate(choices);
    if (HasHooks(mutant_)) {
      std::string wrong = WrongByGraph(sample, mutant_, seed);
      return {std::move(wrong), std::move(sample)};
    }
    Problem problem = property.check(sample, choices, mutant_.rules);
    return {problem.value_or(""), std::move(sample)};
  }

  std::optional<FuzzKill> TryGraph(const GraphProperty& property, uint64_t seed) {
    Choices choices = Choices::FromSeed(seed);
    auto [why, sample] = CheckGraph(property, choices, seed);
    if (why.empty()) return std::nullopt;
    FuzzKill kill;
    kill.by = "graph, " + property.name;
    kill.why = why;
    kill.seconds = Seconds();
    kill.size = kill.shrunk = static_cast<int64_t>(SizeOf(sample));
    if (!budget_.shrink) return kill;
    const auto again = [&](const std::vector<uint32_t>& numbers) {
      Choices replayed = Choices::FromNumbers(numbers);
      return CheckGraph(property, replayed, seed);
    };
    const std::vector<uint32_t> small = ShrinkChoices(
        choices.drawn(),
        [&](const std::vector<uint32_t>& numbers) { return !again(numbers).first.empty(); },
        ShrinkLimits());
    const GraphSample shrunk = again(small).second;
    kill.shrunk = std::min(kill.size, static_cast<int64_t>(SizeOf(shrunk)));
    kill.text = ToText(shrunk);
    return kill;
  }

  const Mutant& mutant_;
  const FuzzBudget& budget_;
  const Clock::time_point start_;
};

}  // namespace

std::optional<FuzzKill> KillByFuzz(const Mutant& mutant, const FuzzBudget& budget) {
  return Hunt(mutant, budget).Go();
}

}  // namespace tagflow::fuzz
