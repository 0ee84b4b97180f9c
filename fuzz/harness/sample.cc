#include "fuzz/harness/sample.h"

#include <cstring>
#include <memory>
#include <utility>

#include "fuzz/generate/choices.h"
#include "fuzz/generate/generate.h"
#include "fuzz/harness/child.h"
#include "fuzz/program/check.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

Finding Invalid(const Status& status) {
  return {Finding::Kind::kInvalid, "the program is none: " + status.message(), 0};
}

// A finding as bytes: kind, firings, why.
std::string Pack(const Finding& finding) {
  std::string bytes(1 + sizeof(finding.firings), static_cast<char>(finding.kind));
  std::memcpy(bytes.data() + 1, &finding.firings, sizeof(finding.firings));
  return bytes + finding.why;
}

Finding Unpack(const std::string& bytes) {
  Finding finding;
  if (bytes.size() < 1 + sizeof(finding.firings)) {
    return {Finding::Kind::kCrashed, "its process ended without an answer", 0};
  }
  finding.kind = static_cast<Finding::Kind>(bytes[0]);
  std::memcpy(&finding.firings, bytes.data() + 1, sizeof(finding.firings));
  finding.why = bytes.substr(1 + sizeof(finding.firings));
  return finding;
}

}  // namespace

std::string KindName(Finding::Kind kind) {
  constexpr const char* kNames[] = {"holds", "fails", "crashed", "hung", "invalid", "unsupported"};
  return kNames[static_cast<size_t>(kind)];
}

// Steele, Lea and Flood's SplitMix64 finalizer over a sequence that differs by seed: neighbours in
// either have nothing in common.
uint64_t ChoiceSeed(uint64_t seed, uint64_t index) {
  const auto mix = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  return mix(mix(seed + 0x9e3779b97f4a7c15u) + (index + 1) * 0x9e3779b97f4a7c15u);
}

namespace {

// With its values numbered as its text numbers them, so that a saved program makes the same graph,
// names and all.
Sample DrawProgram(Choices& choices, const SampleName& name) {
  Sample sample;
  sample.program = Canonical(GenerateProgram(choices, name.profile));
  // Of another seed than the program's, which is drawn from the same numbers otherwise.
  sample.seed = ChoiceSeed(~name.seed, name.index);
  return sample;
}

// Whether the property opens sessions that the engine, a program of its own, has not.
bool IsBeyond(const Property& property, const Setting& setting) {
  return property.opens_sessions && !IsInProcess(setting);
}
Finding OfThisProcess() {
  return {Finding::Kind::kUnsupported, "it is for engines of this process", 0};
}

Finding CheckChoices(const Property& property, Choices& choices, Setting& setting) {
  if (setting.engine == nullptr) {
    return {Finding::Kind::kUnsupported, "no graphs: it evaluates programs", 0};
  }
  return IsBeyond(property, setting) ? OfThisProcess() : property.check_choices(choices, setting);
}

}  // namespace

Finding DrawAndCheck(const Property& property, const SampleName& name, Setting& setting,
                     Sample* sample) {
  Choices choices = Choices::FromSeed(ChoiceSeed(name.seed, name.index));
  if (!property.is_of_programs()) {
    Finding finding = CheckChoices(property, choices, setting);
    if (sample != nullptr) sample->choices = choices.drawn();
    return finding;
  }
  Sample drawn = DrawProgram(choices, name);
  Finding finding = CheckSample(property, drawn, setting);
  if (sample != nullptr) *sample = std::move(drawn);
  return finding;
}

Finding CheckSample(const Property& property, const Sample& sample, Setting& setting) {
  if (!sample.program.has_value()) {
    Choices choices = Choices::FromNumbers(sample.choices);
    return CheckChoices(property, choices, setting);
  }
  if (Status status = Check(*sample.program); !status.ok()) return Invalid(status);
  if (IsBeyond(property, setting)) return OfThisProcess();
  setting.seed = sample.seed;
  return property.check(*sample.program, setting);
}

Result<Sample> Draw(const Property& property, const SampleName& name) {
  Choices choices = Choices::FromSeed(ChoiceSeed(name.seed, name.index));
  Sample sample;
  if (property.is_of_programs()) {
    sample = DrawProgram(choices, name);
  } else if (property.to_case) {
    TAGFLOW_RETURN_IF_ERROR(property.to_case(choices).status());
    sample.choices = choices.drawn();
  } else {
    return Unimplemented("what '" + property.name + "' draws is only known once it was checked");
  }
  return sample;
}

Finding Isolated(const std::function<Finding()>& check, double timeout_s) {
  const Result<std::string> bytes = CallInChild([&check] { return Pack(check()); }, timeout_s);
  if (bytes.ok()) return Unpack(*bytes);
  const bool hung = bytes.status().code() == Code::kDeadlineExceeded;
  return {hung ? Finding::Kind::kHung : Finding::Kind::kCrashed, bytes.status().message(), 0};
}

Finding CheckIsolated(const Property& property, const Sample& sample, const EngineChoice& engines,
                      double timeout_s) {
  return Isolated(
      [&]() -> Finding {
        Result<std::unique_ptr<WorkerEngines>> started = WorkerEngines::Make(engines);
        if (!started.ok()) return {Finding::Kind::kUnsupported, started.status().message(), 0};
        return CheckSample(property, sample, (*started)->setting());
      },
      timeout_s);
}

int64_t SizeOf(const Sample& sample) {
  return sample.program.has_value() ? Size(*sample.program)
                                    : static_cast<int64_t>(sample.choices.size());
}

}  // namespace tagflow::fuzz
