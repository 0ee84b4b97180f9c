#include "fuzz/partition/placements.h"

#include <map>
#include <vector>

#include "fuzz/partition/together.h"

namespace tagflow::fuzz {
namespace {

enum class Kind { kOne, kAlternating, kRandom, kPieces, kFewApart };

}  // namespace

Placement DrawPlacement(const Graph& graph, const std::vector<OutputRef>& fed, Choices& choices,
                        std::string* about) {
  const std::vector<NodeId> groups = MustBeTogether(graph, fed);
  const uint32_t devices = static_cast<uint32_t>(choices.Between(kTwoToFour));
  const Kind kind = choices.Of(std::vector<Kind>{Kind::kOne, Kind::kAlternating, Kind::kRandom,
                                                 Kind::kPieces, Kind::kRandom, Kind::kFewApart});
  static const std::map<Kind, std::string> kWords = {{Kind::kOne, "all on one"},
                                                     {Kind::kAlternating, "alternating"},
                                                     {Kind::kRandom, "random"},
                                                     {Kind::kPieces, "random in pieces"},
                                                     {Kind::kFewApart, "a few apart"}};
  *about = kWords.at(kind) + ", " + std::to_string(devices) + " devices";
  Placement placement;
  for (uint32_t i = 0; i < devices; ++i)
    placement.devices.push_back("/device:CPU:" + std::to_string(i));
  placement.device_of.resize(graph.id_limit());
  uint32_t device = choices.Below(devices);
  const uint32_t most = device;  // where most nodes are that are not apart
  for (const NodeId id : graph.NodeIds()) {
    if (kind == Kind::kAlternating) device = (device + 1) % devices;
    // Neighbours by id are neighbours in the program, so pieces are of one loop or branch.
    const bool changes =
        kind == Kind::kRandom || (kind == Kind::kPieces && choices.Chance(kSeldom));
    if (changes) device = choices.Below(devices);
    const bool is_apart = kind == Kind::kFewApart && choices.Chance(kSeldom);
    if (kind == Kind::kFewApart) device = is_apart ? (most + 1) % devices : most;
    placement.device_of[Index(id)] = placement.devices[device];
  }
  for (const NodeId id : graph.NodeIds()) {
    placement.device_of[Index(id)] = placement.device_of[Index(groups[Index(id)])];
  }
  return placement;
}

}  // namespace tagflow::fuzz
