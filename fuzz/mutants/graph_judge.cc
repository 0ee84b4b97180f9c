#include "fuzz/mutants/graph_judge.h"

#include <utility>
#include <vector>

#include "fuzz/mutants/mutant_session.h"
#include "reference/races.h"

namespace tagflow::fuzz {
namespace {

constexpr int64_t kMostFirings = 3000;

// What one run showed.
struct Seen {
  std::string end;  // its values, or its error's code and node
  std::vector<std::string> races;
  int64_t firings = 0;
  bool limited = false;
  bool failed = false;
};

std::string EndOf(const Result<std::vector<Tensor>>& values) {
  if (!values.ok()) {
    return std::string(CodeName(values.status().code())) + " at '" + values.status().node() + "'";
  }
  std::string text;
  for (const Tensor& value : *values) text += value.DebugString(1000) + "; ";
  return text;
}

std::vector<Seen> RunAll(const GraphSample& sample, const Mutant& mutant, uint64_t seed, bool races,
                         int64_t limit) {
  MutantSession session(sample.graph.Clone(), mutant, sample.devices);
  std::vector<Seen> all;
  for (const NamedTensors& feeds : sample.runs) {
    Seen& seen = all.emplace_back();
    reference::History history;
    reference::RunOptions options;
    options.seed = seed;
    options.max_firings = limit;
    if (races) options.history = &history;
    options.trace = [&](const reference::TraceEvent&) { ++seen.firings; };
    const auto values = session.Run({feeds, sample.fetches, sample.targets}, options);
    seen.end = EndOf(values);
    seen.failed = !values.ok();
    seen.limited = values.status().code() == Code::kResourceExhausted;
    for (const reference::Race& race : reference::FindRaces(history))
      seen.races.push_back(race.ToString(history));
  }
  return all;
}

Mutant MergesGoOn(const Mutant& mutant) {
  Mutant lenient = mutant;
  lenient.rules.merge_second_live = [](int, int, const std::string&) { return Status(); };
  return lenient;
}

// Whether the standard ends every run in the same way in another order, without races.
bool IsCertain(const GraphSample& sample, const std::vector<Seen>& standard, uint64_t seed) {
  for (const Seen& seen : standard) {
    if (seen.limited) return false;
  }
  for (const uint64_t other : {uint64_t{0}, seed + 1, seed + 2}) {
    const std::vector<Seen> again = RunAll(sample, MergesGoOn(Mutant()), other, true, kMostFirings);
    if (again.size() != standard.size()) return false;
    for (size_t i = 0; i < again.size(); ++i) {
      if (again[i].end != standard[i].end || !again[i].races.empty()) return false;
    }
  }
  return true;
}

std::string LimitDiffers(const GraphSample& sample, const Mutant& mutant,
                         const std::vector<Seen>& standard, uint64_t seed) {
  const Seen& first = standard.front();
  if (first.failed) {
    const int64_t firings = RunAll(sample, mutant, seed, false, kMostFirings).front().firings;
    return firings > first.firings ? "the step goes on after " + first.end : "";
  }
  if (first.firings < 2) return "";
  const Seen stopped = RunAll(sample, mutant, seed, false, first.firings - 1).front();
  return stopped.limited ? "" : "a limit of one firing too few gives " + stopped.end;
}

}  // namespace

std::string WrongByGraph(const GraphSample& sample, const Mutant& mutant, uint64_t seed) {
  if (mutant.history) {
    const Mutant standard = MergesGoOn(Mutant());
    const std::vector<Seen> expected = RunAll(sample, standard, seed, true, kMostFirings);
    const std::vector<Seen> actual = RunAll(sample, MergesGoOn(mutant), seed, true, kMostFirings);
    for (size_t i = 0; i < actual.size() && i < expected.size(); ++i) {
      if (actual[i].races != expected[i].races) return "its races are not those of the standard";
    }
    return "";
  }
  const std::vector<Seen> expected = RunAll(sample, Mutant(), seed, false, kMostFirings);
  const std::vector<Seen> actual = RunAll(sample, mutant, seed, false, kMostFirings);
  if (expected.empty()) return "";
  std::string wrong;
  for (size_t i = 0; i < expected.size() && wrong.empty(); ++i) {
    if (i >= actual.size() || actual[i].end != expected[i].end) {
      wrong = "run " + std::to_string(i) + ": " + (i < actual.size() ? actual[i].end : "nothing") +
              "; the standard gives " + expected[i].end;
    }
  }
  if (wrong.empty() && mutant.options) wrong = LimitDiffers(sample, mutant, expected, seed);
  return wrong.empty() || IsCertain(sample, expected, seed) ? wrong : "";
}

}  // namespace tagflow::fuzz
