// Tested by conformance/ops/string.ops.

#include "optimized/kernels/fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace tagflow::optimized {
namespace {

static_assert(std::endian::native == std::endian::little);

// The constants are FarmHash's k0, k1 and k2.
constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

uint64_t Load(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}
uint64_t LoadShort(const char* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

uint64_t ShiftMix(uint64_t value) { return value ^ (value >> 47); }

uint64_t Hash16(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = ShiftMix((u ^ v) * mul);
  return ShiftMix((v ^ a) * mul) * mul;
}

uint64_t HashTo16(const char* s, size_t length) {
  const uint64_t mul = k2 + length * 2;
  if (length >= 8) {
    const uint64_t a = Load(s) + k2, b = Load(s + length - 8);
    return Hash16(std::rotr(b, 37) * mul + a, (std::rotr(a, 25) + b) * mul, mul);
  }
  if (length >= 4) return Hash16(length + (LoadShort(s) << 3), LoadShort(s + length - 4), mul);
  if (length == 0) return k2;
  const auto byte = [s](size_t i) { return uint64_t{static_cast<uint8_t>(s[i])}; };
  const uint64_t y = byte(0) + (byte(length >> 1) << 8), z = length + (byte(length - 1) << 2);
  return ShiftMix(y * k2 ^ z * k0) * k2;
}

// Of the ends of 17 bytes or more, 16 bytes each.
struct Ends {
  Ends(const char* s, size_t length, uint64_t mul, uint64_t k)
      : a(Load(s) * k),
        b(Load(s + 8)),
        c(Load(s + length - 8) * mul),
        d(Load(s + length - 16) * k2) {}
  uint64_t sum() const { return std::rotr(a + b, 43) + std::rotr(c, 30) + d; }
  uint64_t other() const { return a + std::rotr(b + k2, 18) + c; }
  const uint64_t a, b, c, d;
};

uint64_t HashTo32(const char* s, size_t length) {
  const uint64_t mul = k2 + length * 2;
  const Ends ends(s, length, mul, k1);
  return Hash16(ends.sum(), ends.other(), mul);
}

uint64_t HashTo64(const char* s, size_t length) {
  const uint64_t mul = k2 + length * 2;
  const Ends ends(s, length, mul, k2);
  const uint64_t y = ends.sum(), z = Hash16(y, ends.other(), mul);
  const uint64_t e = Load(s + 16) * mul, f = Load(s + 24);
  const uint64_t g = (y + Load(s + length - 32)) * mul, h = (z + Load(s + length - 24)) * mul;
  return Hash16(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + ends.a, 18) + g,
                mul);
}

using Halves = std::pair<uint64_t, uint64_t>;

Halves WeakHash32(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = Load(s), x = Load(s + 8), y = Load(s + 16), z = Load(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

uint64_t HashLong(const char* s, size_t length) {
  constexpr uint64_t kSeed = 81;
  uint64_t x = kSeed, y = kSeed * k1 + 113, z = ShiftMix(y * k2 + 113) * k2;
  Halves v, w;
  const char* const end = s + (length - 1) / 64 * 64;
  const char* const last = s + length - 64;
  x = x * k2 + Load(s);
  const auto round = [&](uint64_t mul, uint64_t weight) {
    x = std::rotr(x + y + v.first + Load(s + 8), 37) * mul;
    y = std::rotr(y + v.second + Load(s + 48), 42) * mul;
    x ^= w.second * weight;
    y += v.first * weight + Load(s + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = WeakHash32(s, v.second * mul, x + w.first);
    w = WeakHash32(s + 32, z + w.second, y + Load(s + 16));
    std::swap(z, x);
  };
  for (; s != end; s += 64) round(k1, 1);
  const uint64_t mul = k1 + ((z & 0xff) << 1);
  s = last;
  w.first += (length - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  round(mul, 9);
  return Hash16(Hash16(v.first, w.first, mul) + ShiftMix(y) * k0 + z,
                Hash16(v.second, w.second, mul) + x, mul);
}

}  // namespace

uint64_t Fingerprint64(std::string_view text) {
  const size_t length = text.size();
  if (length <= 16) return HashTo16(text.data(), length);
  if (length <= 32) return HashTo32(text.data(), length);
  return length <= 64 ? HashTo64(text.data(), length) : HashLong(text.data(), length);
}

}  // namespace tagflow::optimized
