// Tested by tensor_bundle_test.cc.

#include "graph/saved/crc32c.h"

#include <array>
#include <cstring>

namespace tagflow {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, its bits reversed
constexpr size_t kAtOnce = 8;
constexpr int kBitsOfByte = 8;

// [k][b]: what byte b does to the sum when k more bytes come.
using Tables = std::array<std::array<uint32_t, 256>, kAtOnce>;

constexpr Tables MakeTables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < tables[0].size(); ++byte) {
    uint32_t sum = byte;
    for (int bit = 0; bit < kBitsOfByte; ++bit) sum = sum >> 1 ^ (sum & 1 ? kPolynomial : 0);
    tables[0][byte] = sum;
  }
  for (size_t k = 1; k < kAtOnce; ++k) {
    for (size_t byte = 0; byte < tables[k].size(); ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> kBitsOfByte ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = MakeTables();

}  // namespace

uint32_t ExtendCrc32c(uint32_t sum, const void* bytes, size_t count) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  sum = ~sum;
  for (; count >= kAtOnce; count -= kAtOnce, at += kAtOnce) {
    uint64_t word;
    std::memcpy(&word, at, kAtOnce);
    word ^= sum;
    sum = 0;
    for (size_t k = 0; k < kAtOnce; ++k) {
      sum ^= kTables[kAtOnce - 1 - k][word >> (k * kBitsOfByte) & 0xff];
    }
  }
  for (; count > 0; --count) sum = sum >> kBitsOfByte ^ kTables[0][(sum ^ *at++) & 0xff];
  return ~sum;
}

uint32_t MaskedCrc32c(uint32_t sum) {
  constexpr uint32_t kAddend = 0xa282ead8;
  constexpr int kTurn = 15, kBits = 32;
  return (sum >> kTurn | sum << (kBits - kTurn)) + kAddend;
}

}  // namespace tagflow
