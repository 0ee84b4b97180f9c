#include "fuzz/mutants/fuzz_killer.h"

#include <array>
#include <chrono>
#include <utility>

#include "fuzz/generate/profile.h"
#include "fuzz/harness/registry.h"
#include "fuzz/harness/sample.h"
#include "fuzz/harness/shrink_sample.h"
#include "fuzz/harness/worker_engines.h"
#include "fuzz/program/text.h"
#include "fuzz/program/walk.h"
#include "graph/io/parse.h"

namespace tagflow::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Row {
  const char* property;
  const char* profile = "";  // of programs
};

// Turn about, a program and a graph; small programs are quick to run and to shrink.
constexpr std::array kPrograms = {
    Row{"equal", "tiny"},    Row{"equal", "default"},  Row{"equal", "tiny"},
    Row{"equal", "effects"}, Row{"equal", "arrays"},   Row{"limit", "tiny"},
    Row{"equal", "tiny"},    Row{"equal", "specials"}, Row{"orders", "tiny"},
    Row{"equal", "deep"},    Row{"equal", "default"},  Row{"equal", "specials"}};
constexpr std::array kGraphs = {Row{"graphs-small-steps"}, Row{"graphs-orders"},
                                Row{"graphs-refusal"},     Row{"graphs-run-ahead"},
                                Row{"graphs-small-steps"}, Row{"graphs-refusal"},
                                Row{"graphs-exported"},    Row{"graphs-stops"},
                                Row{"graphs-refusal"},     Row{"graphs-subset"}};

// Of a graph, its nodes.
int64_t SizeOf(const Property& property, const Sample& sample) {
  if (sample.program.has_value()) return Size(*sample.program);
  Choices choices = Choices::FromNumbers(sample.choices);
  const auto drawn = property.to_case(choices);
  return drawn.ok() ? drawn->graph().node_size() : 0;
}

std::string TextOf(const Property& property, const Sample& sample) {
  if (sample.program.has_value()) return ToText(*sample.program);
  Choices choices = Choices::FromNumbers(sample.choices);
  const auto drawn = property.to_case(choices);
  return drawn.ok() ? tagflow::ToText(*drawn) : drawn.status().ToString();
}

class Hunt {
 public:
  Hunt(Setting& setting, const FuzzBudget& budget)
      : setting_(setting), budget_(budget), start_(Clock::now()) {}

  std::optional<FuzzKill> Go() {
    for (int64_t i = 0; i < budget_.samples && Seconds() < budget_.seconds; ++i) {
      const auto turn = static_cast<size_t>(i / 2);
      const Row& row =
          i % 2 == 0 ? kPrograms[turn % kPrograms.size()] : kGraphs[turn % kGraphs.size()];
      std::optional<FuzzKill> kill = Try(row, static_cast<uint64_t>(i));
      if (!kill.has_value()) continue;
      kill->samples = i + 1;
      return kill;
    }
    return std::nullopt;
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  std::optional<FuzzKill> Try(const Row& row, uint64_t index) {
    const Property property = *PropertyOf(row.property);
    SampleName name{budget_.seed, index, {}};
    const std::string profile = row.profile;
    if (!profile.empty()) name.profile = *ProfileOf(profile);
    Sample sample;
    const Finding finding = DrawAndCheck(property, name, setting_, &sample);
    if (!finding.bad()) return std::nullopt;
    FuzzKill kill;
    kill.by = property.name + (profile.empty() ? "" : ", profile " + profile);
    kill.why = finding.why;
    kill.seconds = Seconds();
    kill.size = kill.shrunk = SizeOf(property, sample);
    if (!budget_.shrink) return kill;
    const auto fails = [&](const Sample& tried) {
      return CheckSample(property, tried, setting_).bad();
    };
    const Sample small = ShrinkSample(std::move(sample), fails, budget_.seconds);
    kill.shrunk = std::min(kill.size, SizeOf(property, small));
    kill.text = TextOf(property, small);
    return kill;
  }

  Setting& setting_;
  const FuzzBudget& budget_;
  const Clock::time_point start_;
};

}  // namespace

std::optional<FuzzKill> KillByFuzz(const Mutant& mutant, const FuzzBudget& budget) {
  EngineChoice choice;
  choice.broken = &mutant;
  const Result<std::unique_ptr<WorkerEngines>> engines = WorkerEngines::Make(choice);
  TAGFLOW_CHECK(engines.ok());
  return Hunt((*engines)->setting(), budget).Go();
}

}  // namespace tagflow::fuzz
