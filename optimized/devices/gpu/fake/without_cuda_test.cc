#include <gtest/gtest.h>

// In the place of tests that want CUDA's headers.
TEST(Gpu, IsTestedWithAToolkit) { GTEST_SKIP() << "SKIPPED: no CUDA toolkit"; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
