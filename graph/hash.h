#ifndef TAGFLOW_GRAPH_HASH_H_
#define TAGFLOW_GRAPH_HASH_H_

// Hashes for keys of hash tables that the standard library has none for.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

namespace tagflow {

// Of pairs and tuples of what std::hash knows.
struct TupleHash {
  template <typename... T>
  size_t operator()(const std::tuple<T...>& tuple) const {
    return std::apply([](const T&... each) { return Mix(each...); }, tuple);
  }
  template <typename A, typename B>
  size_t operator()(const std::pair<A, B>& pair) const {
    return Mix(pair.first, pair.second);
  }

 private:
  template <typename... T>
  static size_t Mix(const T&... each) {
    uint64_t hash = 0;
    ((hash = (hash ^ std::hash<T>()(each)) * 0x9E3779B97F4A7C15u, hash ^= hash >> 32), ...);
    return hash;
  }
};

// Of strings, also for look-ups by a view: with std::equal_to<>.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_HASH_H_
