// Tested by conformance/ops/string.ops.

#include "reference/kernels/fingerprint.h"

#include <bit>
#include <utility>

namespace tagflow::reference {
namespace {

constexpr uint64_t kPrime0 = 0xc3a5c85c97cb3127;
constexpr uint64_t kPrime1 = 0xb492b66fbe98f273;
constexpr uint64_t kPrime2 = 0x9ae16a3b2f90404f;

// `size` bytes from `at` on as an integer whose low byte comes first.
uint64_t Word(std::string_view text, size_t at, size_t size = 8) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) {
    word |= uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
  }
  return word;
}

uint64_t Fold(uint64_t x) { return x ^ x >> 47; }

uint64_t Mixed(uint64_t a, uint64_t b, uint64_t factor) {
  return Fold((b ^ Fold((a ^ b) * factor)) * factor) * factor;
}

uint64_t FactorOf(std::string_view text) { return kPrime2 + 2 * text.size(); }

uint64_t UpTo16(std::string_view text) {
  const size_t size = text.size();
  const uint64_t factor = FactorOf(text);
  if (size >= 8) {
    const uint64_t a = Word(text, 0) + kPrime2, b = Word(text, size - 8);
    return Mixed(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
  }
  if (size >= 4) {
    return Mixed(size + (Word(text, 0, 4) << 3), Word(text, size - 4, 4), factor);
  }
  if (size == 0) return kPrime2;
  const uint64_t first = Word(text, 0, 1) + (Word(text, size / 2, 1) << 8);
  const uint64_t last = size + (Word(text, size - 1, 1) << 2);
  return Fold(first * kPrime2 ^ last * kPrime0) * kPrime2;
}

uint64_t UpTo32(std::string_view text) {
  const size_t size = text.size();
  const uint64_t factor = FactorOf(text);
  const uint64_t a = Word(text, 0) * kPrime1, b = Word(text, 8);
  const uint64_t c = Word(text, size - 8) * factor, d = Word(text, size - 16) * kPrime2;
  return Mixed(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kPrime2, 18) + c,
               factor);
}

uint64_t UpTo64(std::string_view text) {
  const size_t size = text.size();
  const uint64_t factor = FactorOf(text);
  const uint64_t a = Word(text, 0) * kPrime2, b = Word(text, 8);
  const uint64_t c = Word(text, size - 8) * factor, d = Word(text, size - 16) * kPrime2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = Mixed(y, a + std::rotr(b + kPrime2, 18) + c, factor);
  const uint64_t e = Word(text, 16) * factor, f = Word(text, 24);
  const uint64_t g = (y + Word(text, size - 32)) * factor;
  const uint64_t h = (z + Word(text, size - 24)) * factor;
  return Mixed(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

struct Pair {
  uint64_t first = 0, second = 0;
};

// 32 bytes from `at` on, with two numbers.
Pair Weak(std::string_view text, size_t at, uint64_t a, uint64_t b) {
  a += Word(text, at);
  const uint64_t before = a;
  const uint64_t last = Word(text, at + 24);
  b = std::rotr(b + a + last, 21);
  a += Word(text, at + 8) + Word(text, at + 16);
  return {a + last, b + std::rotr(a, 44) + before};
}

// What is handed on from 64 bytes to the next.
struct Chain {
  uint64_t x, y, z;
  Pair v, w;

  // weight: 1, but 9 at the end
  void Take(std::string_view text, size_t at, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + Word(text, at + 8), 37) * factor;
    y = std::rotr(y + v.second + Word(text, at + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + Word(text, at + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = Weak(text, at, v.second * factor, x + w.first);
    w = Weak(text, at + 32, z + w.second, y + Word(text, at + 16));
    std::swap(z, x);
  }
};

uint64_t Long(std::string_view text) {
  constexpr uint64_t kSeed = 81;
  const uint64_t y = kSeed * kPrime1 + 113;
  Chain chain = {kSeed * kPrime2 + Word(text, 0), y, Fold(y * kPrime2 + 113) * kPrime2, {}, {}};
  const size_t rest = (text.size() - 1) % 64;  // of the last 64 bytes, beside one
  for (size_t at = 0; at < text.size() - 1 - rest; at += 64) chain.Take(text, at, kPrime1, 1);
  const uint64_t factor = kPrime1 + ((chain.z & 0xff) << 1);
  chain.w.first += rest;
  chain.v.first += chain.w.first;
  chain.w.first += chain.v.first;
  chain.Take(text, text.size() - 64, factor, 9);
  const auto& [x, last, z, v, w] = chain;
  return Mixed(Mixed(v.first, w.first, factor) + Fold(last) * kPrime0 + z,
               Mixed(v.second, w.second, factor) + x, factor);
}

}  // namespace

uint64_t Fingerprint(std::string_view text) {
  if (text.size() <= 16) return UpTo16(text);
  if (text.size() <= 32) return UpTo32(text);
  return text.size() <= 64 ? UpTo64(text) : Long(text);
}

}  // namespace tagflow::reference
