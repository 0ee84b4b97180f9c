// A gradient that is four times too long for a device's memory, in virtual time: swapped to the
// host and back, it takes hardly longer than with memory enough.

#include <gtest/gtest.h>

#include <string>

#include "bench/programs.h"
#include "optimized/devices/sim/sim_devices.h"
#include "optimized/session.h"

namespace tagflow::bench {
namespace {

constexpr char kDevice[] = "/device:SIM:0";

struct Outcome {
  std::vector<double> values;
  std::string error;
  optimized::DeviceReport report;

  int64_t bytes_max() const { return report.devices[0].memory.bytes_resident_max; }
};

// The gradient of an LSTM of so many time steps, all of it on one simulated device.
Outcome RunLstm(int64_t steps, const optimized::SimOptions& sim) {
  Result<Program> program = FindProgram("lstm_b64_grad")->make(steps);
  EXPECT_TRUE(program.ok());
  optimized::SessionOptions options;
  options.devices = {kDevice};
  options.device_kinds =
      optimized::WithKind(optimized::StandardDeviceKinds(), optimized::SimDevices(sim));
  const auto session = optimized::Session::Create(std::move(program->graph), options);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  Outcome outcome;
  optimized::RunOptions run;
  run.device_report = &outcome.report;
  const auto values = (*session)->Run(program->feeds, program->fetches, {}, run);
  if (!values.ok()) {
    outcome.error = values.status().ToString();
    return outcome;
  }
  for (const Tensor& value : *values) outcome.values.push_back(CheckValue(value));
  return outcome;
}

TEST(SwappingTest, FourTimesTheLengthThatFits) {
  constexpr int64_t kFits = 20;
  constexpr int64_t kSteps = 4 * kFits;
  optimized::SimOptions sim;
  const Outcome enough = RunLstm(kSteps, sim);
  const Outcome fits = RunLstm(kFits, sim);
  ASSERT_EQ(enough.error + fits.error, "");

  sim.memory_bytes = fits.bytes_max();
  sim.swaps = false;
  EXPECT_EQ(RunLstm(kFits, sim).error, "");
  EXPECT_NE(RunLstm(kSteps, sim).error, "");

  // What a time step keeps crosses in half the time of its kernels, forward and back each.
  const double step_ns = static_cast<double>(enough.report.virtual_ns) / (2.0 * kSteps);
  const double step_bytes =
      static_cast<double>(enough.bytes_max() - fits.bytes_max()) / (kSteps - kFits);
  sim.transfer_ns_per_byte = 0.5 * step_ns / step_bytes;
  sim.swaps = true;
  const Outcome swapped = RunLstm(kSteps, sim);
  ASSERT_EQ(swapped.error, "");
  EXPECT_EQ(swapped.values, enough.values);
  EXPECT_LE(swapped.bytes_max(), sim.memory_bytes);
  const double ratio = static_cast<double>(swapped.report.virtual_ns) /
                       static_cast<double>(enough.report.virtual_ns);
  std::printf(
      "%d steps in memory for %d: %.1f of %.1f MB, %d tensors out and %d in, "
      "%.3f times the time\n",
      static_cast<int>(kSteps), static_cast<int>(kFits),
      static_cast<double>(sim.memory_bytes) / 1e6, static_cast<double>(enough.bytes_max()) / 1e6,
      static_cast<int>(swapped.report.devices[0].swapped_out),
      static_cast<int>(swapped.report.devices[0].swapped_in), ratio);
  EXPECT_LE(ratio, 1.10);
}

}  // namespace
}  // namespace tagflow::bench
