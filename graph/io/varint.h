#ifndef TAGFLOW_GRAPH_IO_VARINT_H_
#define TAGFLOW_GRAPH_IO_VARINT_H_

// Numbers of base 128, as the wire format and checkpoints write them: the lowest seven bits first,
// and in each byte but the last its highest bit.

#include <cstdint>
#include <string>
#include <string_view>

namespace tagflow {

inline constexpr int kVarintBits = 7;  // of a number, in a byte
inline constexpr unsigned char kVarintGoesOn = 1 << kVarintBits;

inline void AppendVarint(std::string& bytes, uint64_t value) {
  for (; value >= kVarintGoesOn; value >>= kVarintBits) {
    bytes.push_back(static_cast<char>(value | kVarintGoesOn));
  }
  bytes.push_back(static_cast<char>(value));
}

// Numbers, one after the other.
class VarintReader {
 public:
  explicit VarintReader(std::string_view bytes) : rest_(bytes) {}
  // False when the bytes end first, or the number has more than ten bytes.
  bool Read(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += kVarintBits) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & ~kVarintGoesOn) << shift;
      if (byte < kVarintGoesOn) return true;
    }
    return false;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_IO_VARINT_H_
