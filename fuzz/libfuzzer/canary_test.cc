// Tests: canary_target.cc

#include <gtest/gtest.h>

#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

TEST(CanaryTest, RandomBytesFindThePlantedBug) {
  const auto search = [] {
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
      std::string bytes(random() % 400, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
  };
  EXPECT_DEATH(search(), "the canary sang");
}

}  // namespace
