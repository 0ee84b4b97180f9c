#ifndef TAGFLOW_TRANSFORM_STRUCTURE_TREE_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_TREE_H_

// A graph of primitives as a structured program: blocks in blocks. What a block has is in an order
// in which it can be computed.
//
//   node    a node that stays what it is, at its place
//   choice  an If or a Case: a block for each value of its predicate, and the Merges that join them
//   loop    a While: a block that says whether there is another iteration, and one that makes it
//   frame   a frame that stays as primitives, with all that is in it
//
// Made by recover_tree.h; printed by structure_text.h; made functions by emitter.h.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "transform/structure/places.h"

namespace tagflow::recovery {

enum class BlockId : int32_t { kNone = -1, kRoot = 0 };

struct TreeItem {
  enum class Kind : uint8_t { kNode, kChoice, kLoop, kFrame };
  Kind kind = Kind::kNode;
  int32_t index = -1;  // a node's id; of tree.choices, tree.loops; a frame
  friend auto operator<=>(const TreeItem&, const TreeItem&) = default;
};

struct Block {
  std::vector<TreeItem> items;
  BlockId parent = BlockId::kNone;
  TreeItem within;  // the choice or loop of the parent that it is a part of
  int32_t depth = 0;
};

struct Choice {
  RegionId region = RegionId::kNone;
  int32_t predicate = 0;          // of the Structure
  BlockId home = BlockId::kNone;  // which has it
  std::vector<BlockId> branches;  // by value of the predicate
  std::vector<NodeId> joins;      // Merges
};

struct Loop {
  int frame = 0;
  BlockId home = BlockId::kNone;
  BlockId test = BlockId::kNone;
  BlockId body = BlockId::kNone;
};

// What stays as primitives, and why.
struct Declined {
  NodeId node = NodeId::kNone;  // a Switch or Merge of it; kNone: a frame
  int frame = -1;
  std::string why;
};

struct Tree {
  std::vector<Block> blocks;  // parents before what is in them
  std::vector<Choice> choices;
  std::vector<Loop> loops;
  std::vector<Declined> declined;

  Block& block(BlockId id) { return blocks[static_cast<size_t>(id)]; }
  const Block& block(BlockId id) const { return blocks[static_cast<size_t>(id)]; }
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_TREE_H_
