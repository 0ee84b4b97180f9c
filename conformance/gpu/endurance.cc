#include "conformance/gpu/endurance.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/gpu/gpu_programs.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/session.h"

namespace tagflow::conformance {
namespace {

using optimized::Callable;
using optimized::DeviceReport;
using optimized::RunOptions;
using optimized::Session;

// A program in a session over a GPU and the host.
class Endured {
 public:
  static Result<Endured> Open(const GpuProgram& program) {
    Endured made;
    TAGFLOW_ASSIGN_OR_RETURN(made.session_, OpenOnGpu(program));
    std::vector<std::string> names;
    for (const auto& [name, value] : program.feeds) {
      names.push_back(name);
      made.feeds_.push_back(value);
    }
    TAGFLOW_ASSIGN_OR_RETURN(made.callable_,
                             made.session_->MakeCallable(names, program.fetches, program.targets));
    made.has_state_ = !program.first.empty();
    return made;
  }

  // Runs one step, and notes how much of the device's memory is taken when it has ended.
  Result<std::vector<Tensor>> Run(std::function<bool()> cancelled = nullptr) {
    DeviceReport report;
    RunOptions options;
    options.device_report = &report;
    options.cancelled = std::move(cancelled);
    Result<std::vector<Tensor>> values = callable_->Run(feeds_, options);
    bytes_taken_ = 0;
    for (const auto& device : report.devices) bytes_taken_ += device.memory.bytes_resident;
    return values;
  }
  int64_t bytes_taken() const { return bytes_taken_; }
  // How a step's values differ from another's; those of a program with state do.
  std::string Differ(const std::vector<Tensor>& a, const std::vector<Tensor>& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!has_state_ && !BitwiseEqual(a[i], b[i]))
        return "fetch " + std::to_string(i) + " is another";
    }
    return "";
  }

 private:
  std::unique_ptr<Session> session_;
  const Callable* callable_ = nullptr;
  std::vector<Tensor> feeds_;
  int64_t bytes_taken_ = 0;
  bool has_state_ = false;
};

constexpr int kWarmUp = 10;

// Says why a program failed; nothing where it passed.
std::string ManySteps(const GpuProgram& program, int steps) {
  Result<Endured> endured = Endured::Open(program);
  if (!endured.ok()) return endured.status().ToString();
  const Result<std::vector<Tensor>> first = endured->Run();
  if (!first.ok()) return first.status().ToString();
  int64_t taken = 0;
  for (int i = 1; i < steps + kWarmUp; ++i) {
    const Result<std::vector<Tensor>> values = endured->Run();
    const std::string which = "step " + std::to_string(i) + ": ";
    if (!values.ok()) return which + values.status().ToString();
    if (std::string why = endured->Differ(*first, *values); !why.empty()) return which + why;
    if (i == kWarmUp) taken = endured->bytes_taken();
    if (i <= kWarmUp || endured->bytes_taken() <= taken) continue;
    return which + "it leaves " + std::to_string(endured->bytes_taken()) + " bytes taken, step " +
           std::to_string(kWarmUp) + " left " + std::to_string(taken);
  }
  return "";
}

std::string CancelledSteps(const GpuProgram& program, int steps) {
  using Clock = std::chrono::steady_clock;
  Result<Endured> endured = Endured::Open(program);
  if (!endured.ok()) return endured.status().ToString();
  (void)endured->Run();  // the first is longer than the others
  const auto begin = Clock::now();
  const Result<std::vector<Tensor>> first = endured->Run();
  if (!first.ok()) return first.status().ToString();
  const auto whole = Clock::now() - begin;
  int64_t taken = 0;
  for (int i = 1; i <= steps; ++i) {
    // Each a little later than the one before.
    const auto end = Clock::now() + whole / 20 * (i % 10);
    const Result<std::vector<Tensor>> stopped = endured->Run([&] { return Clock::now() >= end; });
    const std::string which = "step " + std::to_string(i) + ": ";
    if (!stopped.ok() && stopped.status().code() != Code::kCancelled) {
      return which + stopped.status().ToString();
    }
    if (i % kWarmUp != 0) continue;
    const Result<std::vector<Tensor>> values = endured->Run();
    if (!values.ok()) return "after " + which + values.status().ToString();
    if (std::string why = endured->Differ(*first, *values); !why.empty())
      return "after " + which + why;
    if (taken == 0) taken = endured->bytes_taken();
    if (endured->bytes_taken() <= taken) continue;
    return "after " + which + std::to_string(endured->bytes_taken()) + " bytes are taken, not " +
           std::to_string(taken);
  }
  return "";
}

template <typename Test>
SuiteCounts Each(const char* suite, double scale, int steps, Test test) {
  SuiteCounts counts;
  const Result<std::vector<GpuProgram>> programs = GpuPrograms(scale);
  if (!programs.ok()) Note(counts, suite, "all", programs.status().ToString());
  if (!programs.ok()) return counts;
  for (const GpuProgram& program : *programs) {
    Note(counts, suite, program.name, test(program, steps));
  }
  return counts;
}

}  // namespace

SuiteCounts RunManySteps(int steps) {
  constexpr double kShort = 0.02;
  return Each("many steps", kShort, steps, ManySteps);
}

SuiteCounts CancelManySteps(int steps, double scale) {
  return Each("cancelled steps", scale, steps, CancelledSteps);
}

}  // namespace tagflow::conformance
