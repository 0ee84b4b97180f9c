#include "transform/structure/arrange.h"

#include <optional>
#include <set>
#include <utility>

#include "transform/structure/ordering.h"

namespace tagflow::recovery {
namespace {

class Arranger {
 public:
  Arranger(Recovery& of, const Work& work) : of_(of), work_(work), table_(of.places, work) {
    made_.home.assign(work.items.size(), BlockId::kNone);
  }

  Arrangement Run() && {
    made_.tree.blocks.emplace_back();
    Put(work_.of_part[0][0], BlockId::kRoot, of_.places.First(0));
    return std::move(made_);
  }

 private:
  const WorkItem& Item(int32_t item) const { return work_.items[static_cast<size_t>(item)]; }

  BlockId NewBlock(BlockId parent, TreeItem within) {
    Block& block = made_.tree.blocks.emplace_back();
    block.parent = parent;
    block.within = within;
    block.depth = made_.tree.block(parent).depth + 1;
    return static_cast<BlockId>(made_.tree.blocks.size() - 1);
  }

  void Put(const std::vector<int32_t>& items, BlockId block, PlaceId place) {
    if (items.empty() || !made_.stuck.empty()) return;
    Ordering ordering(table_, items, place);
    while (const auto next = ordering.Next()) {
      if (next->region == RegionId::kNone) {
        PutItem(next->items[0], block);
      } else {
        PutChoice(next->items, next->region, block);
      }
      if (!made_.stuck.empty()) return;
    }
    for (const int32_t item : items) {
      if (!table_.is_done[static_cast<size_t>(item)]) made_.stuck.push_back(item);
    }
  }

  void PutItem(int32_t index, BlockId block) {
    const WorkItem& item = Item(index);
    made_.home[static_cast<size_t>(index)] = block;
    std::vector<TreeItem>& items = made_.tree.block(block).items;
    switch (item.kind) {
      case WorkItem::Kind::kNode:
        items.push_back({TreeItem::Kind::kNode, static_cast<int32_t>(item.node)});
        return;
      case WorkItem::Kind::kWay:
        return;
      case WorkItem::Kind::kFrame:
        items.push_back({TreeItem::Kind::kFrame, item.index});
        return;
      case WorkItem::Kind::kLoop:
        return PutLoop(item.index, block);
    }
  }

  void PutLoop(int frame, BlockId block) {
    const auto index = static_cast<int32_t>(made_.tree.loops.size());
    const TreeItem item = {TreeItem::Kind::kLoop, index};
    made_.tree.block(block).items.push_back(item);
    const BlockId test = NewBlock(block, item);
    const BlockId body = NewBlock(block, item);
    made_.tree.loops.push_back({frame, block, test, body});
    const auto& parts = work_.of_part[static_cast<size_t>(frame)];
    const PlaceId first = of_.places.First(frame);
    Put(parts[static_cast<size_t>(Part::kTest)], test, first);
    const ConditionLiteral repeats = *of_.structure.frames[static_cast<size_t>(frame)].repeats;
    const auto place = [&](int32_t value) {
      return of_.places.At(
          frame, of_.structure.conditions.With(ConditionId::kAlways, {repeats.predicate, value}));
    };
    Put(parts[static_cast<size_t>(Part::kBody)], body, place(repeats.value));
    Put(parts[static_cast<size_t>(Part::kAfter)], block, place(1 - repeats.value));
  }

  void PutChoice(const std::vector<int32_t>& items, RegionId region, BlockId block) {
    const auto index = static_cast<int32_t>(made_.tree.choices.size());
    const TreeItem tree_item = {TreeItem::Kind::kChoice, index};
    made_.tree.block(block).items.push_back(tree_item);
    const PlaceRegion& chosen = of_.places[region];
    const int32_t predicate = chosen.predicate;
    const PlaceId around = chosen.place;
    const auto arity = static_cast<size_t>(of_.structure.conditions.arity(predicate));
    Choice choice = {region, predicate, block, {}, {}};
    for (size_t value = 0; value < arity; ++value) {
      choice.branches.push_back(NewBlock(block, tree_item));
    }
    std::vector<std::vector<int32_t>> branch(arity);
    std::vector<PlaceId> places(arity, PlaceId::kNone);
    std::set<NodeId> joins;
    for (const int32_t item : items) {
      const PlaceId below = of_.places.Below(around, Item(item).place);
      const auto value = static_cast<size_t>(of_.places[below].value);
      branch[value].push_back(item);
      places[value] = below;
      const bool is_way = Item(item).kind == WorkItem::Kind::kWay;
      if (is_way && Item(item).place == below && joins.insert(Item(item).node).second) {
        choice.joins.push_back(Item(item).node);
      }
    }
    const std::vector<BlockId> branches = choice.branches;
    made_.tree.choices.push_back(std::move(choice));
    for (size_t value = 0; value < arity; ++value) {
      if (!branch[value].empty()) Put(branch[value], branches[value], places[value]);
    }
  }

  Recovery& of_;
  const Work& work_;
  ItemTable table_;
  Arrangement made_;
};

}  // namespace

Arrangement Arrange(Recovery& of, const Work& work) { return Arranger(of, work).Run(); }

}  // namespace tagflow::recovery
