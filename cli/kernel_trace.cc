#include "cli/kernel_trace.h"

#include <cstdio>
#include <utility>

#include "cli/report.h"
#include "conformance/command/json.h"

namespace tagflow::cli {
namespace {

constexpr size_t kBlock = 1 << 16;

// Every event but the first has a comma before it.
constexpr std::string_view kBegin =
    "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"tagflow\"}}";
constexpr std::string_view kEnd = "\n]}\n";

std::string ErrorArg(const Status& status) {
  return status.ok() ? "" : ",\"error\":\"" + std::string(CodeName(status.code())) + "\"";
}

}  // namespace

KernelTrace::KernelTrace(Write write) : write_(std::move(write)) { Put(kBegin); }

KernelTrace::Lane& KernelTrace::Mine() {
  Lane& lane = lanes_.Mine();
  if (lane.text.empty()) lane.text.reserve(kBlock + kBlock / 4);
  return lane;
}

void KernelTrace::StepBegins() { Mine().step_begin = Clock::now(); }

void KernelTrace::KernelBegins(const Node& /*node*/, optimized::KernelContext& context) {
  std::vector<Begun>& running = Mine().running;
  running.push_back({{}, context.tag()});
  running.back().begin = Clock::now();
}

void KernelTrace::KernelEnds(const Node& node, optimized::KernelContext& /*context*/,
                             const Status& status) {
  const Clock::time_point end = Clock::now();
  Lane& lane = Mine();
  const Begun begun = std::move(lane.running.back());
  lane.running.pop_back();
  const std::string op = JsonString(node.op);
  Add(lane,
      "\"name\":" + JsonString(node.name) + ",\"cat\":" + op + ",\"args\":{\"op\":" + op +
          ",\"tag\":" + JsonString(begun.tag) + ErrorArg(status) + "}",
      begun.begin, end);
}

void KernelTrace::StepEnds(const Status& status) {
  const Clock::time_point end = Clock::now();
  Lane& lane = Mine();
  Add(lane,
      "\"name\":\"step\",\"cat\":\"step\",\"args\":{\"ok\":" +
          std::string(status.ok() ? "true" : "false") + ErrorArg(status) + "}",
      lane.step_begin, end);
}

void KernelTrace::Add(Lane& lane, const std::string& name_category_args, Clock::time_point begin,
                      Clock::time_point end) {
  char place[128];
  std::snprintf(place, sizeof(place),
                ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,", lane.number,
                MicrosecondsAt(begin), MicrosecondsAt(end) - MicrosecondsAt(begin));
  lane.text.append(place).append(name_category_args).append("}");
  if (lane.text.size() < kBlock) return;
  Put(lane.text);
  lane.text.clear();
}

double KernelTrace::MicrosecondsAt(Clock::time_point time) const {
  return std::chrono::duration<double, std::micro>(time - start_).count();
}

void KernelTrace::Put(std::string_view bytes) {
  std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = write_(bytes);
}

Status KernelTrace::Finish() {
  for (const auto& lane : lanes_.All()) {
    const std::string number = std::to_string(lane->number);
    Put(lane->text);
    Put(",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" + number +
        ",\"name\":\"thread_name\",\"args\":{\"name\":\"worker " + number + "\"}}");
    lane->text.clear();
  }
  Put(kEnd);
  return status_;
}

}  // namespace tagflow::cli
