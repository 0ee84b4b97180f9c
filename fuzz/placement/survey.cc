#include "fuzz/placement/survey.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "fuzz/generate/generate.h"
#include "fuzz/graphs/unstructured.h"
#include "fuzz/placement/check.h"
#include "fuzz/placement/question.h"

namespace tagflow::fuzz {
namespace {

Result<PlacementQuestion> DrawFromProgram(Choices& choices) {
  const std::vector<Profile>& profiles = Profiles();
  const Profile& profile = profiles[choices.Below(profiles.size())];
  const Program program = GenerateProgram(choices, profile);
  TAGFLOW_ASSIGN_OR_RETURN(const Lowered lowered, Lower(program));
  return DrawQuestion(lowered.graph, CallsOf(lowered), choices);
}

Result<PlacementQuestion> DrawFromGraph(Choices& choices) {
  const GraphSample sample = MakeUnstructured(choices);
  std::vector<std::string> feeds;
  if (!sample.runs.empty()) {
    for (const auto& [name, value] : sample.runs[0]) feeds.push_back(name);
  }
  TAGFLOW_ASSIGN_OR_RETURN(CallSpec call,
                           ResolveCall(sample.graph, feeds, sample.fetches, sample.targets));
  PlacementQuestion question = DrawQuestion(sample.graph, {call}, choices);
  question.options.call = std::move(call);  // the rest of such a graph may be nonsense
  return question;
}

// How many times as long as the best.
double Ratio(double ns, double best_ns) { return best_ns > 0 ? ns / best_ns : 1; }

void Note(const PlacementQuestion& question, const PlacementReport& report,
          PlacementSurvey& survey) {
  ++survey.graphs;
  survey.nodes += static_cast<int64_t>(question.graph.num_nodes());
  const size_t devices = question.catalog.devices().size();  // candidates begin with one for each
  const std::vector<PlacementCandidate>& candidates = report.candidates;
  double on_one = candidates[0].makespan_ns;
  for (size_t i = 0; i < devices; ++i) on_one = std::min(on_one, candidates[i].makespan_ns);
  const double greedy = candidates[devices].makespan_ns;
  const double round_robin = candidates[devices + 1].makespan_ns;
  ++(report.chosen < devices    ? survey.chose_one_device
     : report.chosen == devices ? survey.chose_greedy
                                : survey.chose_round_robin);
  survey.greedy_lost += greedy > std::min(on_one, round_robin) ? 1 : 0;
  survey.lost_to_one_device += greedy > on_one ? 1 : 0;
  survey.lost_to_round_robin += greedy > round_robin ? 1 : 0;
  const double best = candidates[report.chosen].makespan_ns;
  survey.greedy.push_back(Ratio(greedy, best));
  survey.first_device.push_back(Ratio(candidates[0].makespan_ns, best));
  survey.best_device.push_back(Ratio(on_one, best));
  survey.round_robin.push_back(Ratio(round_robin, best));
}

// The problem with one graph, if there is one.
std::optional<std::string> SurveyOne(Choices& choices, bool from_program, PlacementSurvey& survey) {
  const Result<PlacementQuestion> question =
      from_program ? DrawFromProgram(choices) : DrawFromGraph(choices);
  if (!question.ok()) return "no graph: " + question.status().ToString();
  const auto report = Place(question->graph, question->catalog, question->options);
  if (!report.ok()) {
    ++survey.refused;
    return CheckRefusal(*question, report.status());
  }
  Note(*question, *report, survey);
  return CheckPlacement(*question, *report);
}

// "of those that are longer: 12 %, half of them; 230 % at most", where 12 % longer is a ratio of
// 1.12; and how much longer on the geometric mean of all.
std::string Longer(const std::string& what, const std::vector<double>& sorted) {
  const auto begin = std::upper_bound(sorted.begin(), sorted.end(), 1.0);
  const auto count = sorted.end() - begin;
  double logs = 0;
  for (const double ratio : sorted) logs += std::log(ratio);
  const double mean = sorted.empty() ? 0 : logs / static_cast<double>(sorted.size());
  char text[256];
  std::snprintf(text, sizeof(text),
                "%s: longer on %td graphs, there by %.1f %% (median), %.1f %% (most); "
                "%.1f %% on the geometric mean of all\n",
                what.c_str(), count, count == 0 ? 0 : 100 * (*(begin + count / 2) - 1),
                count == 0 ? 0 : 100 * (sorted.back() - 1), 100 * (std::exp(mean) - 1));
  return text;
}

}  // namespace

std::string PlacementSurvey::ToString() const {
  char text[512];
  std::snprintf(text, sizeof(text),
                "graphs %d (%lld nodes), refused %d\n"
                "greedy lost to a simple choice on %d: to one device on %d, to round robin on %d\n"
                "returned: greedy %d, one device %d, round robin %d\n"
                "against what was returned,\n",
                graphs, static_cast<long long>(nodes), refused, greedy_lost, lost_to_one_device,
                lost_to_round_robin, chose_greedy, chose_one_device, chose_round_robin);
  return text + Longer("  greedy", greedy) + Longer("  all on the first device", first_device) +
         Longer("  all on the best device", best_device) + Longer("  round robin", round_robin);
}

PlacementSurvey SurveyPlacements(uint64_t seed, int count) {
  PlacementSurvey survey;
  const int64_t most = int64_t{4} * count;  // a placer that refuses everything comes to an end too
  for (int64_t i = 0; i < most && survey.graphs < count && !survey.problem; ++i) {
    Choices choices = Choices::FromSeed(seed * 1'000'003 + static_cast<uint64_t>(i));
    survey.problem = SurveyOne(choices, i % 3 != 2, survey);
    if (survey.problem) {
      survey.problem = "graph " + std::to_string(i) + " of seed " + std::to_string(seed) + ": " +
                       *survey.problem;
    }
  }
  for (std::vector<double>* ratios :
       {&survey.greedy, &survey.first_device, &survey.best_device, &survey.round_robin}) {
    std::sort(ratios->begin(), ratios->end());
  }
  return survey;
}

}  // namespace tagflow::fuzz
