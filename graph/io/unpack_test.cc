#include "graph/io/unpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace tagflow {
namespace {

using ::testing::HasSubstr;

// As gzip (window 31) or bare (-15).
std::string Deflated(const std::string& text, int window) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

const std::string& Text() {
  static const std::string& text = *new std::string([] {
    std::string made;
    for (int i = 0; i < 50000; ++i) made += std::to_string(i * i);
    return made;
  }());
  return text;
}

TEST(UnpackTest, Gzip) {
  EXPECT_EQ(*Gunzip(Deflated(Text(), 31)), Text());
  EXPECT_EQ(*Gunzip(Deflated("", 31)), "");
  // Members one after another, and the zeros that tapes pad with.
  EXPECT_EQ(*Gunzip(Deflated("one ", 31) + Deflated("two", 31) + std::string(512, '\0')),
            "one two");
}

TEST(UnpackTest, TheLimitIsNamed) {
  const std::string packed = Deflated(std::string(1000000, 'a'), 31);
  EXPECT_EQ(Gunzip(packed, 1000000)->size(), 1000000u);
  const Status error = Gunzip(packed, 999999).status();
  EXPECT_EQ(error.code(), Code::kResourceExhausted);
  EXPECT_THAT(error.message(), HasSubstr("more than 999999 bytes"));
}

TEST(UnpackTest, DamagedGzip) {
  const std::string good = Deflated(Text().substr(0, 3000), 31);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(Gunzip(std::string_view(good).substr(0, size)).status().code(), Code::kDataLoss);
  }
  for (size_t at = 10; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(Gunzip(damaged).ok()) << at;
  }
  EXPECT_FALSE(Gunzip(good + "more").ok());
}

TEST(UnpackTest, MembersOfArchivesAreCheckedBySizeAndSum) {
  const std::string packed = Deflated(Text(), -15);
  const uint32_t crc = Crc32(Text());
  EXPECT_EQ(*Inflate(packed, Text().size(), crc), Text());
  EXPECT_EQ(Inflate(packed, Text().size(), crc ^ 1).status().code(), Code::kDataLoss);
  EXPECT_EQ(Inflate(packed, Text().size() + 1, crc).status().code(), Code::kDataLoss);
  EXPECT_FALSE(Inflate(packed, Text().size() - 1, crc).ok());
  EXPECT_FALSE(Inflate(packed + "x", Text().size(), crc).ok());
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926u);
}

}  // namespace
}  // namespace tagflow
