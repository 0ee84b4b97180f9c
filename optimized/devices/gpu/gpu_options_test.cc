#include "optimized/devices/gpu/gpu_options.h"

#include <gtest/gtest.h>

namespace tagflow::optimized {
namespace {

TEST(GpuOptions, SayHowMuchMemoryThereIs) {
  const Result<GpuOptions> options = ParseGpuOptions("memory_bytes=1000000");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->memory_bytes, 1'000'000);
}

TEST(GpuOptions, SayWhenHistoriesGo) {
  const Result<GpuOptions> options = ParseGpuOptions("swap_above=0.5,memory_bytes=4096");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->memory_bytes, 4096);
  EXPECT_EQ(options->swap_above, 0.5);
  EXPECT_TRUE(options->swaps);
  EXPECT_FALSE(ParseGpuOptions("swaps=0")->swaps);
}

TEST(GpuOptions, AreRefusedWithWhatIsWrong) {
  for (const char* text :
       {"", "memory", "memory_bytes=", "memory_bytes=-1", "memory_bytes=1e6", "memory_bytes=1,",
        "swaps=2", "swap_above=0", "swap_above=1.5", "memory_bytes=99999999999999999999"}) {
    const Result<GpuOptions> options = ParseGpuOptions(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_NE(options.status().message().find("'" + std::string(text) + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace tagflow::optimized
