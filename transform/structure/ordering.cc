#include "transform/structure/ordering.h"

#include <numeric>

namespace tagflow::recovery {

ItemTable::ItemTable(const Places& all_places, const Work& all_work)
    : places(all_places),
      work(all_work),
      consumers_begin(work.items.size() + 1),
      consumers(work.edges.size()),
      set_of(work.items.size(), -1),
      group_of(work.items.size()),
      waiting(work.items.size()),
      piece_of(work.items.size()),
      is_done(work.items.size()) {
  for (const auto& [before, after] : work.edges) ++consumers_begin[static_cast<size_t>(before) + 1];
  std::partial_sum(consumers_begin.begin(), consumers_begin.end(), consumers_begin.begin());
  std::vector<uint32_t> next = consumers_begin;
  for (const auto& [before, after] : work.edges) {
    consumers[next[static_cast<size_t>(before)]++] = after;
  }
  for (size_t i = 0; i < work.items.size(); ++i) {
    const WorkItem& item = work.items[i];
    if (item.kind == WorkItem::Kind::kWay) ways[item.node].push_back(static_cast<int32_t>(i));
  }
}

Ordering::Ordering(ItemTable& table, const std::vector<int32_t>& items, PlaceId place)
    : table_(table), set_(table.num_sets++) {
  FindGroups(items, place);
  Count(items);
  FindStarts();
}

// ---- Groups ----

RegionId Ordering::RegionBelow(PlaceId place, int32_t item) const {
  const PlaceId own = Item(item).place;
  if (own == place) return RegionId::kNone;
  return table_.places[table_.places.Below(place, own)].region;
}

void Ordering::FindGroups(const std::vector<int32_t>& items, PlaceId place) {
  std::map<RegionId, size_t> group_of;
  for (const int32_t item : items) {
    const auto index = static_cast<size_t>(item);
    table_.set_of[index] = set_;
    table_.is_done[index] = false;
    table_.waiting[index] = 0;
    const RegionId region = RegionBelow(place, item);
    size_t group = groups_.size();
    if (region != RegionId::kNone) group = group_of.try_emplace(region, group).first->second;
    if (group == groups_.size()) groups_.emplace_back().region = region;
    groups_[group].items.push_back(item);
    ++groups_[group].left;
    table_.group_of[index] = group;
  }
}

void Ordering::Count(const std::vector<int32_t>& items) {
  for (const int32_t item : items) {
    table_.ForEachConsumer(item, [&](int32_t other) {
      if (!IsIn(other)) return;
      ++table_.waiting[static_cast<size_t>(other)];
      if (table_.AreTogether(item, other)) return;
      ++groups_[table_.group_of[static_cast<size_t>(other)]].waiting;
    });
  }
}

void Ordering::FindStarts() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    Group& group = groups_[i];
    if (group.waiting == 0) {
      ready_.emplace(group.items[0], i);
    } else if (group.region != RegionId::kNone) {
      FindPieces(group);
      for (const int32_t item : group.items) {
        if (table_.waiting[static_cast<size_t>(item)] == 0) NoteStart(i, item);
      }
    }
  }
}

// ---- Order ----

std::optional<Ordering::Taken> Ordering::Next() {
  CountConsumers();
  auto chosen = Choose();
  if (!chosen) return std::nullopt;
  last_ = chosen->first;
  last_items_ = std::move(chosen->second);
  Group& group = groups_[last_];
  group.left -= static_cast<int32_t>(last_items_.size());
  if (group.left == 0) startable_.erase(last_);
  for (const int32_t item : last_items_) {
    table_.is_done[static_cast<size_t>(item)] = true;
    if (group.left_of_piece.empty()) continue;
    --group.left_of_piece[static_cast<size_t>(table_.piece_of[static_cast<size_t>(item)])];
  }
  return Taken{group.region, last_items_};
}

// Counts who waited for what was taken last.
void Ordering::CountConsumers() {
  for (const int32_t item : last_items_) {
    table_.ForEachConsumer(item, [&](int32_t other) {
      if (!IsIn(other)) return;
      const size_t group = table_.group_of[static_cast<size_t>(other)];
      if (--table_.waiting[static_cast<size_t>(other)] == 0) NoteStart(group, other);
      if (group != last_) CountDown(group);
    });
  }
  last_items_.clear();
}
void Ordering::NoteStart(size_t index, int32_t item) {
  Group& group = groups_[index];
  if (group.region == RegionId::kNone) return;
  group.can_start.push_back(item);
  startable_.insert(index);
}
void Ordering::CountDown(size_t index) {
  Group& group = groups_[index];
  if (--group.waiting > 0 || group.left == 0) return;
  ready_.emplace(group.items[0], index);
  startable_.erase(index);
}

void Ordering::ForgetDone(std::vector<int32_t>& items) const {
  std::erase_if(items, [&](int32_t item) { return table_.is_done[static_cast<size_t>(item)]; });
}

// A group, and its items that are taken: all that are left, or those that can run.
std::optional<std::pair<size_t, std::vector<int32_t>>> Ordering::Choose() {
  if (!ready_.empty()) {
    const size_t index = ready_.begin()->second;
    ready_.erase(ready_.begin());
    ForgetDone(groups_[index].items);
    return std::pair(index, groups_[index].items);
  }
  while (!startable_.empty()) {
    const size_t index = *startable_.begin();
    std::vector<int32_t> can_run = CanRun(groups_[index]);
    if (!can_run.empty()) {
      return std::pair(index, WholePieces(groups_[index], std::move(can_run)));
    }
    startable_.erase(index);
  }
  return std::nullopt;
}

// The items of a group that wait for nothing but each other. The ways of a Merge run together.
std::vector<int32_t> Ordering::CanRun(Group& group) const {
  std::map<int32_t, int32_t> waiting;  // of those that are waited for in the group
  std::map<NodeId, size_t> num_ways;
  std::vector<int32_t> can_run;
  const auto release = [&](int32_t item) {
    if (Item(item).kind != WorkItem::Kind::kWay) return can_run.push_back(item);
    const std::vector<int32_t>& ways = table_.ways.at(Item(item).node);
    if (++num_ways[Item(item).node] < ways.size()) return;
    can_run.insert(can_run.end(), ways.begin(), ways.end());
  };
  ForgetDone(group.can_start);
  for (const int32_t item : group.can_start) release(item);
  for (size_t i = 0; i < can_run.size(); ++i) {
    const int32_t item = can_run[i];
    table_.ForEachConsumer(item, [&](int32_t other) {
      if (!table_.AreTogether(item, other)) return;
      const int32_t count = table_.waiting[static_cast<size_t>(other)];
      if (--waiting.try_emplace(other, count).first->second == 0) release(other);
    });
  }
  return can_run;
}

// ---- Pieces: the items of a group that hang together ----

// By edges among them, and as the ways of one Merge.
void Ordering::FindPieces(Group& group) {
  std::vector<int32_t>& piece_of = table_.piece_of;
  const auto join = [&](int32_t a, int32_t b) { piece_of[static_cast<size_t>(Root(a))] = Root(b); };
  for (const int32_t item : group.items) piece_of[static_cast<size_t>(item)] = item;
  for (const int32_t item : group.items) {
    table_.ForEachConsumer(item, [&](int32_t other) {
      if (table_.AreTogether(item, other)) join(item, other);
    });
    if (Item(item).kind == WorkItem::Kind::kWay) join(item, table_.ways.at(Item(item).node)[0]);
  }
  // From now on, numbers of pieces.
  std::map<int32_t, int32_t> numbers;
  std::vector<int32_t> number_of;
  for (const int32_t item : group.items) {
    const auto next = static_cast<int32_t>(numbers.size());
    number_of.push_back(numbers.try_emplace(Root(item), next).first->second);
  }
  group.left_of_piece.resize(numbers.size());
  for (size_t i = 0; i < group.items.size(); ++i) {
    piece_of[static_cast<size_t>(group.items[i])] = number_of[i];
    ++group.left_of_piece[static_cast<size_t>(number_of[i])];
  }
}
int32_t Ordering::Root(int32_t item) {
  std::vector<int32_t>& piece_of = table_.piece_of;
  while (piece_of[static_cast<size_t>(item)] != item) {
    int32_t& next = piece_of[static_cast<size_t>(item)];
    item = next = piece_of[static_cast<size_t>(next)];
  }
  return item;
}

// Those of which the whole piece can run, so that none is cut where others can; else all.
std::vector<int32_t> Ordering::WholePieces(const Group& group, std::vector<int32_t> can_run) const {
  const auto piece = [&](int32_t item) {
    return static_cast<size_t>(table_.piece_of[static_cast<size_t>(item)]);
  };
  std::map<size_t, int32_t> count;
  for (const int32_t item : can_run) ++count[piece(item)];
  std::vector<int32_t> whole;
  for (const int32_t item : can_run) {
    if (count[piece(item)] == group.left_of_piece[piece(item)]) whole.push_back(item);
  }
  return whole.empty() ? can_run : whole;
}

}  // namespace tagflow::recovery
