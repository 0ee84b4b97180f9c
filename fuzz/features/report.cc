#include "fuzz/features/report.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace tagflow::fuzz {
namespace {

constexpr std::string_view kTripNames[] = {"0", "1", "2", "3-8", "9-11", "12-31", "32-99", "100-"};

double Percentage(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

int64_t Quantile(std::vector<int64_t> values, double share) {
  if (values.empty()) return 0;
  const size_t at =
      std::min(values.size() - 1, static_cast<size_t>(share * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(at), values.end());
  return values[at];
}

double Mean(const std::vector<int64_t>& values) {
  const int64_t sum = std::accumulate(values.begin(), values.end(), int64_t{0});
  return values.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(values.size());
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

void Count(std::vector<int64_t>& counts, int at) {
  const size_t index = static_cast<size_t>(at);
  if (counts.size() <= index) counts.resize(index + 1, 0);
  ++counts[index];
}

template <size_t n>
void AddTo(std::array<int64_t, n>& sums, const std::array<int64_t, n>& more) {
  for (size_t i = 0; i < n; ++i) sums[i] += more[i];
}

// "0: 12, 1: 30"
std::string Listed(const std::vector<int64_t>& counts) {
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(i) + ": " + std::to_string(counts[i]);
  }
  return text;
}

std::string JsonList(const std::vector<int64_t>& counts) {
  std::string text = "[";
  for (size_t i = 0; i < counts.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(counts[i]);
  }
  return text + "]";
}

std::string Line(std::string_view name, const std::string& value) {
  std::string text(name);
  text.resize(std::max<size_t>(text.size() + 1, 34), ' ');
  return text + value + "\n";
}

}  // namespace

void Report::Add(const Features& features, int64_t firings) {
  for (size_t i = 0; i < kNumFeatures; ++i) counts_[i] += features.has[i];
  AddTo(ops_, features.ops);
  AddTo(trips_, features.trips);
  AddTo(captures_by_level_, features.captures_by_level);
  AddTo(captures_by_uses_, features.captures_by_uses);
  sizes_.push_back(features.size);
  fuzz::Count(depths_, features.depth);
  fuzz::Count(loop_depths_, features.loop_depth);
  if (firings >= 0) firings_.push_back(firings);
  operations_ += features.operations;
  skipped_ += features.skipped;
  branchings_ += features.branchings;
  both_branches_ += features.both_branches;
}

double Report::Percent(Feature feature) const { return Percentage(Count(feature), programs()); }
double Report::ValidPercent() const { return Percentage(programs(), programs() + invalid_); }
int64_t Report::MedianSize() const { return Quantile(sizes_, 0.5); }
double Report::MeanFirings() const { return Mean(firings_); }
double Report::DeadPercent() const { return Percentage(skipped_, operations_ + skipped_); }
double Report::BothBranchesPercent() const { return Percentage(both_branches_, branchings_); }

std::vector<Feature> Report::Missing() const {
  std::vector<Feature> missing;
  for (size_t i = 0; i < kNumFeatures; ++i) {
    if (counts_[i] == 0) missing.push_back(static_cast<Feature>(i));
  }
  return missing;
}

std::string Report::Text() const {
  std::string text = Line("programs", std::to_string(programs()));
  text += Line("valid", Number(ValidPercent()) + " %");
  text += Line("tree nodes", "median " + std::to_string(MedianSize()) + ", mean " +
                                 Number(Mean(sizes_)) + ", most " +
                                 std::to_string(Quantile(sizes_, 1)));
  if (!firings_.empty()) {
    text += Line("firings", "median " + std::to_string(Quantile(firings_, 0.5)) + ", mean " +
                                Number(MeanFirings()) + ", most " +
                                std::to_string(Quantile(firings_, 1)));
  }
  text += Line("depth of blocks: programs", Listed(depths_));
  text += Line("depth of loops: programs", Listed(loop_depths_));
  std::string trips;
  for (size_t i = 0; i < trips_.size(); ++i) {
    trips += (i == 0 ? "" : ", ") + std::string(kTripNames[i]) + ": " + std::to_string(trips_[i]);
  }
  text += Line("trips: loops run", trips);
  text += Line("passed over, dead", Number(DeadPercent()) + " % of statements");
  text += Line("conds that took all branches", Number(BothBranchesPercent()) + " %");
  text += Line("captures from 1, 2, 3- out", std::to_string(captures_by_level_[1]) + ", " +
                                                 std::to_string(captures_by_level_[2]) + ", " +
                                                 std::to_string(captures_by_level_[3]));
  text += Line("captures used 1, 2, 3- times", std::to_string(captures_by_uses_[0]) + ", " +
                                                   std::to_string(captures_by_uses_[1]) + ", " +
                                                   std::to_string(captures_by_uses_[2]));
  text += "\nfeature: programs in 100\n";
  for (size_t i = 0; i < kNumFeatures; ++i) {
    const Feature feature = static_cast<Feature>(i);
    text += "  " + Line(FeatureName(feature), Number(Percent(feature)));
  }
  text += "\noperation: statements\n";
  for (int i = 0; i < kNumOps; ++i) {
    text += "  " + Line(OpName(static_cast<Op>(i)), std::to_string(ops_[static_cast<size_t>(i)]));
  }
  return text;
}

std::string Report::Json() const {
  const auto field = [](std::string_view name, const std::string& value) {
    return "\"" + std::string(name) + "\":" + value;
  };
  std::string text = "{" + field("programs", std::to_string(programs()));
  text += "," + field("valid_percent", Number(ValidPercent()));
  text += "," + field("median_size", std::to_string(MedianSize()));
  text += "," + field("mean_firings", Number(MeanFirings()));
  text += "," + field("depths", JsonList(depths_));
  text += "," + field("loop_depths", JsonList(loop_depths_));
  text += "," + field("trips", JsonList({trips_.begin(), trips_.end()}));
  text += "," + field("dead_percent", Number(DeadPercent()));
  text += "," + field("both_branches_percent", Number(BothBranchesPercent()));
  text += "," + field("captures_by_level",
                      JsonList({captures_by_level_.begin() + 1, captures_by_level_.end()}));
  text += "," +
          field("captures_by_uses", JsonList({captures_by_uses_.begin(), captures_by_uses_.end()}));
  std::string features, ops;
  for (size_t i = 0; i < kNumFeatures; ++i) {
    features += (i == 0 ? "" : ",") +
                field(FeatureName(static_cast<Feature>(i)), std::to_string(counts_[i]));
  }
  for (size_t i = 0; i < ops_.size(); ++i) {
    ops += (i == 0 ? "" : ",") + field(OpName(static_cast<Op>(i)), std::to_string(ops_[i]));
  }
  return text + "," + field("features", "{" + features + "}") + "," +
         field("operations", "{" + ops + "}") + "}";
}

}  // namespace tagflow::fuzz
