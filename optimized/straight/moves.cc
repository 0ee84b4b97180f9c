#include "optimized/straight/moves.h"

#include <cstddef>
#include <unordered_map>

namespace tagflow::optimized {

std::vector<Move> InSequence(std::vector<Move> moves, const std::function<uint32_t()>& new_slot) {
  std::erase_if(moves, [](const Move& move) { return move.from == move.to; });
  std::unordered_map<uint32_t, size_t> writer;  // of a slot: the move to it, while it is to be done
  std::unordered_map<uint32_t, int> readers;    // of a slot: moves from it that are to be done
  for (size_t i = 0; i < moves.size(); ++i) {
    writer[moves[i].to] = i;
    ++readers[moves[i].from];
  }
  std::vector<Move> order;
  std::vector<uint32_t> free;  // slots to be written that nobody reads any more
  const auto drain = [&] {
    while (!free.empty()) {
      const Move move = moves[writer.at(free.back())];
      free.pop_back();
      order.push_back(move);
      writer.erase(move.to);
      if (--readers[move.from] == 0 && writer.contains(move.from)) free.push_back(move.from);
    }
  };
  for (const Move& move : moves) {
    if (readers[move.to] == 0) free.push_back(move.to);
  }
  drain();
  // What is left are cycles.
  for (const Move& move : moves) {
    if (!writer.contains(move.to)) continue;
    const uint32_t spare = new_slot();
    order.push_back({move.to, spare});
    for (Move& reader : moves) {
      if (reader.from == move.to && writer.contains(reader.to)) reader.from = spare;
    }
    free.push_back(move.to);
    drain();
  }
  return order;
}

}  // namespace tagflow::optimized
