#include "graph/io/varint.h"

#include <gtest/gtest.h>

#include <limits>

namespace tagflow {
namespace {

TEST(VarintReader, ReadsNumbersUntilTheBytesEnd) {
  VarintReader reader(std::string_view("\x05\xac\x02\x80", 4));
  uint64_t value;
  ASSERT_TRUE(reader.Read(value));
  EXPECT_EQ(value, 5u);
  ASSERT_TRUE(reader.Read(value));
  EXPECT_EQ(value, 300u);
  EXPECT_FALSE(reader.Read(value));
}

TEST(VarintReader, ReadsWhatWasAppended) {
  const uint64_t numbers[] = {0, 127, 128, 16'383, 16'384, std::numeric_limits<uint64_t>::max()};
  std::string bytes;
  for (const uint64_t number : numbers) AppendVarint(bytes, number);
  EXPECT_EQ(bytes.size(), 1u + 1 + 2 + 2 + 3 + 10);
  VarintReader reader(bytes);
  for (const uint64_t number : numbers) {
    uint64_t value = 1;
    ASSERT_TRUE(reader.Read(value));
    EXPECT_EQ(value, number);
  }
  EXPECT_TRUE(reader.rest().empty());
}

}  // namespace
}  // namespace tagflow
