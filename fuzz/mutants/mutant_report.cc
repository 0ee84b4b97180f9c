// For each mutant: the case that kills it, how many random programs and graphs and how many seconds
// it takes to kill it, and how small what kills it can be made. Prints a table, and below it what
// finds each mutant of the partitioner.
//
//   mutant_report [--seconds S] [--samples N] [--seed K] [--tsv FILE] [--texts] [MUTANT…]
//
// A mutant is named by the beginning of its name. Run from the root of the tree.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "fuzz/mutants/case_killer.h"
#include "fuzz/mutants/fuzz_killer.h"
#include "fuzz/mutants/mutants.h"
#include "fuzz/partition/partition_mutants.h"

namespace tagflow::fuzz {
namespace {

struct Row {
  const Mutant* mutant = nullptr;
  std::optional<CaseKill> by_case;
  std::optional<FuzzKill> by_fuzz;
};

struct Arguments {
  FuzzBudget budget{20'000, 60, 1, true};
  std::string tsv;
  bool texts = false;
  std::vector<std::string> names;
};

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : "0"; };
    if (flag == "--seconds") {
      arguments.budget.seconds = std::atof(value());
    } else if (flag == "--samples") {
      arguments.budget.samples = std::atoll(value());
    } else if (flag == "--seed") {
      arguments.budget.seed = static_cast<uint64_t>(std::atoll(value()));
    } else if (flag == "--tsv") {
      arguments.tsv = value();
    } else if (flag == "--texts") {
      arguments.texts = true;
    } else {
      arguments.names.push_back(flag);
    }
  }
  return arguments;
}

bool IsWanted(const Arguments& arguments, const std::string& mutant) {
  return arguments.names.empty() ||
         std::any_of(arguments.names.begin(), arguments.names.end(),
                     [&](const auto& name) { return mutant.starts_with(name); });
}

std::string Line(const Row& row, char separator) {
  std::string line = row.mutant->name;
  const auto add = [&](const std::string& text) { line += separator + text; };
  add(row.by_case.has_value() ? row.by_case->by : "-");
  if (!row.by_fuzz.has_value()) {
    for (const char* nothing : {"-", "-", "-", "-", "-"}) add(nothing);
    return line;
  }
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.3f", row.by_fuzz->seconds);
  add(row.by_fuzz->by);
  add(std::to_string(row.by_fuzz->samples));
  add(seconds);
  add(std::to_string(row.by_fuzz->size));
  add(std::to_string(row.by_fuzz->shrunk));
  return line;
}

template <typename T>
T Median(std::vector<T> values) {
  if (values.empty()) return T();
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Summarize(const std::vector<Row>& rows) {
  std::vector<int64_t> samples, sizes, program_sizes;
  std::vector<double> seconds;
  size_t by_cases = 0;
  for (const Row& row : rows) {
    by_cases += row.by_case.has_value() ? 1 : 0;
    if (!row.by_fuzz.has_value()) continue;
    samples.push_back(row.by_fuzz->samples);
    seconds.push_back(row.by_fuzz->seconds);
    sizes.push_back(row.by_fuzz->shrunk);
    if (!row.by_fuzz->by.starts_with("graphs-")) program_sizes.push_back(row.by_fuzz->shrunk);
  }
  std::printf(
      "mutants %zu, killed by cases %zu, by fuzzing %zu; median samples %lld, seconds %.3f, "
      "size %lld (programs alone: %lld)\n",
      rows.size(), by_cases, samples.size(), static_cast<long long>(Median(samples)),
      Median(seconds), static_cast<long long>(Median(sizes)),
      static_cast<long long>(Median(program_sizes)));
}

int Report(const Arguments& arguments) {
  Result<std::vector<conformance::Case>> cases = CaseKiller::ReadAll("conformance/cases");
  if (!cases.ok()) {
    std::fprintf(stderr, "%s\n", cases.status().ToString().c_str());
    return 2;
  }
  const CaseKiller killer(*std::move(cases));
  std::vector<Row> rows;
  std::ofstream tsv(arguments.tsv);
  tsv << "mutant\tcase\tfuzz\tsamples\tseconds\tsize\tshrunk\n";
  for (const Mutant& mutant : Mutants()) {
    if (!IsWanted(arguments, mutant.name)) continue;
    Row& row = rows.emplace_back();
    row.mutant = &mutant;
    row.by_case = killer.Kill(mutant);
    row.by_fuzz = KillByFuzz(mutant, arguments.budget);
    std::printf("%s\n", Line(row, ' ').c_str());
    if (arguments.texts && row.by_fuzz.has_value())
      std::printf("%s\n%s\n", row.by_fuzz->why.c_str(), row.by_fuzz->text.c_str());
    std::fflush(stdout);
    tsv << Line(row, '\t') << std::endl;
  }
  Summarize(rows);
  for (const PartitionMutant& mutant : PartitionMutants()) {
    if (IsWanted(arguments, mutant.name)) {
      std::printf("%s %s\n", mutant.name.c_str(), FindFault(mutant.fault).by.c_str());
    }
  }
  return 0;
}

}  // namespace
}  // namespace tagflow::fuzz

int main(int argc, char** argv) { return tagflow::fuzz::Report(tagflow::fuzz::Parse(argc, argv)); }
