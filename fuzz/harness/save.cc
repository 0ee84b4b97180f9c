#include "fuzz/harness/save.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "fuzz/lower/to_case.h"
#include "fuzz/program/text.h"
#include "graph/io/parse.h"

namespace tagflow::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kChoices = "choices:";
constexpr std::string_view kDraws = "# draws: ";

std::string FileStem(const Campaign& campaign, const Failure& failure) {
  std::string stem = campaign.claims[static_cast<size_t>(failure.property())].property.name + "-" +
                     std::to_string(campaign.seed) + "-" + std::to_string(failure.index());
  for (char& c : stem) c = c == '/' || c == ' ' ? '_' : c;
  return stem;
}

// Comment lines, so that a value may not have a line of its own.
std::string OneLine(std::string text) {
  for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
  return text;
}

std::string Header(const Campaign& campaign, const Failure& failure) {
  const Claim& claim = campaign.claims[static_cast<size_t>(failure.property())];
  std::ostringstream text;
  text << "# property: " << claim.property.name << "\n"
       << "# engine: " << campaign.engines.engine << "\n"
       << "# against: " << campaign.engines.against << "\n";
  if (!campaign.engines.mutant.empty()) text << "# mutant: " << campaign.engines.mutant << "\n";
  text << "# seed: " << campaign.seed << ", index " << failure.index() << ", profile "
       << claim.profile.name << "\n"
       << "# " << KindName(static_cast<Finding::Kind>(failure.kind())) << ": "
       << OneLine(failure.why()) << "\n";
  return text.str();
}

std::string Body(const Sample& sample) {
  if (sample.program.has_value()) {
    return std::string(kDraws) + std::to_string(sample.seed) + "\n\n" + ToText(*sample.program);
  }
  std::string text = "\n" + std::string(kChoices);
  for (uint32_t choice : sample.choices) text += " " + std::to_string(choice);
  return text + "\n";
}

Result<conformance::Case> CaseOf(const Claim& claim, const Sample& sample, const std::string& name,
                                 const std::string& about) {
  if (sample.program.has_value()) return ToCase(*sample.program, name, about);
  if (!claim.property.to_case) return Unimplemented("there is no case for it");
  Choices choices = Choices::FromNumbers(sample.choices);
  TAGFLOW_ASSIGN_OR_RETURN(conformance::Case test, claim.property.to_case(choices));
  test.set_name(name);
  if (test.about().empty()) test.set_about(about);
  return test;
}

void Note(Failure& failure, const std::string& note) {
  failure.set_note(failure.note().empty() ? note : failure.note() + "; " + note);
}

// All of it or nothing under that name.
void Write(const fs::path& path, const std::string& text, Failure& failure) {
  const fs::path partial = path.string() + ".partial";
  std::ofstream(partial, std::ios::binary) << text << std::flush;
  std::error_code error;
  if (fs::file_size(partial, error) == text.size()) fs::rename(partial, path, error);
  if (error || !fs::exists(path)) return Note(failure, "cannot write " + path.string());
  failure.add_files(path.string());
}

// "# key: value" lines, as far as they go.
void ReadHeaderLine(std::string_view line, Saved& saved) {
  const std::pair<std::string_view, std::string*> keys[] = {
      {"# property: ", &saved.property},
      {"# engine: ", &saved.engines.engine},
      {"# against: ", &saved.engines.against},
      {"# mutant: ", &saved.engines.mutant},
  };
  for (const auto& [key, value] : keys) {
    if (line.starts_with(key)) *value = line.substr(key.size());
  }
  if (line.starts_with(kDraws)) {
    std::from_chars(line.data() + kDraws.size(), line.data() + line.size(), saved.sample.seed);
  }
}

Result<std::vector<uint32_t>> ReadChoices(std::string_view text) {
  std::vector<uint32_t> choices;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    if (*next == ' ' || *next == '\n') {
      ++next;
      continue;
    }
    uint32_t choice = 0;
    const auto [stop, error] = std::from_chars(next, end, choice);
    if (error != std::errc())
      return DataLoss("choice " + std::to_string(choices.size() + 1) + " is no number below 2^32");
    choices.push_back(choice);
    next = stop;
  }
  return choices;
}

}  // namespace

void Save(const Campaign& campaign, const Sample& sample, Failure& failure) {
  const Claim& claim = campaign.claims[static_cast<size_t>(failure.property())];
  std::error_code error;
  fs::create_directories(campaign.save, error);
  const std::string name = FileStem(campaign, failure);
  const fs::path stem = fs::path(campaign.save) / name;
  const std::string text = stem.string() + (sample.program.has_value() ? ".program" : ".choices");
  failure.set_replay("tagflow fuzz --replay " + ShellQuoted(text));
  Write(text, Header(campaign, failure) + Body(sample), failure);
  Result<conformance::Case> test = CaseOf(claim, sample, name, OneLine(failure.why()));
  if (test.ok()) {
    Write(stem.string() + ".case", tagflow::ToText(*test), failure);
  } else {
    Note(failure, "no case: " + test.status().message());
  }
}

std::string ReplayOfIndex(const Campaign& campaign, const Failure& failure) {
  const Claim& claim = campaign.claims[static_cast<size_t>(failure.property())];
  std::string command = "tagflow fuzz --property " + ShellQuoted(claim.property.name) +
                        ToOptions(campaign.engines) + " --seed " + std::to_string(campaign.seed) +
                        " --index " + std::to_string(failure.index());
  if (claim.profile.name != claim.property.profile) command += " --profile " + claim.profile.name;
  return command;
}

Result<Saved> ReadSaved(std::string_view text) {
  Saved saved;
  size_t line = 0;  // where it begins
  while (line < text.size() && (text[line] == '#' || text[line] == '\n')) {
    const size_t end = std::min(text.find('\n', line), text.size());
    ReadHeaderLine(text.substr(line, end - line), saved);
    line = std::min(end + 1, text.size());
  }
  if (text.substr(line).starts_with(kChoices)) {
    TAGFLOW_ASSIGN_OR_RETURN(saved.sample.choices,
                             ReadChoices(text.substr(line + kChoices.size())));
    return saved;
  }
  TAGFLOW_ASSIGN_OR_RETURN(saved.sample.program, ParseProgram(text));
  return saved;
}

}  // namespace tagflow::fuzz
