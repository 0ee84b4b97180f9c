// Mutants of order and races, Send and Recv.

#include <set>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::Access;
using reference::Arrivals;
using reference::Firing;
using reference::History;
using reference::Needs;

void EraseAccesses(History& history, const std::function<bool(const Access&)>& erase) {
  for (Firing& firing : history.firings) std::erase_if(firing.accesses, erase);
}

// Forgets that `later` came after `earlier`, where `forget` says so.
void EraseOrder(History& history,
                const std::function<bool(const Firing& later, const Firing& earlier)>& forget) {
  for (Firing& later : history.firings) {
    std::erase_if(later.after, [&](int64_t earlier) {
      return earlier >= 0 && forget(later, history.firings[static_cast<size_t>(earlier)]);
    });
  }
}

void AddOrder(std::vector<Mutant>& all) {
  Add(all, "order.1", "ends-order-nothing", "what comes after a frame is not ordered after it")
      .history = [](History& history) {
    EraseOrder(history, [](const Firing& later, const Firing&) { return later.node == nullptr; });
  };
  Add(all, "order.1", "not-across-tags", "edges between iterations and frames do not order")
      .history = [](History& history) {
    EraseOrder(history,
               [](const Firing& later, const Firing& earlier) { return later.tag != earlier.tag; });
  };
  Add(all, "order.1", "effects-order-nothing", "an edge out of a node without outputs is no order")
      .history = [](History& history) {
    EraseOrder(history, [](const Firing&, const Firing& earlier) {
      return earlier.node != nullptr && earlier.node->def != nullptr &&
             (earlier.node->op == "NoOp" || earlier.node->def->outputs.empty());
    });
  };
  Add(all, "race.1", "reads-do-not-count", "only two writes are a race",
      "an assignment and a read without an order gave random answers")
      .history = [](History& history) {
    EraseAccesses(history, [](const Access& access) { return !access.is_write; });
  };
  Add(all, "race.1", "two-reads-are-a-race", "whoever touches a resource writes it").history =
      [](History& history) {
        for (Firing& firing : history.firings) {
          for (Access& access : firing.accesses) access.is_write = true;
        }
      };
  Add(all, "race.1", "an-array-is-one-thing", "two elements of an array conflict").history =
      [](History& history) {
        for (Firing& firing : history.firings) {
          for (Access& access : firing.accesses) access.element = Access::kWhole;
        }
      };
  Add(all, "race.2", "merges-do-not-race", "a Merge that two live tokens reach is no race",
      "a Merge of two live inputs gave one of them, and nothing told")
      .history = [](History& history) {
    EraseAccesses(history, [](const Access& access) { return access.name.starts_with("Merge "); });
  };
  Add(all, "race.3", "whoever-comes-first", "a Merge takes the first token, dead or live")
      .rules.merge_dead = [](const Needs& needs, const Arrivals& arrived) {
    return arrived.dead_data > 0 && arrived.live_data == 0 && arrived.control() == needs.control;
  };
}

// A second Send or Recv of a key gets a key of its own.
Status KeysOfTheirOwn(Graph& graph, Call&, const Past&) {
  std::set<std::pair<std::string, std::string>> known;
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (!node.op.starts_with("_Send") && !node.op.starts_with("_Recv") &&
        !node.op.starts_with("_Host"))
      continue;
    const Result<std::string> name = StringAttr(node, "tensor_name");
    if (name.ok() && !known.insert({node.op, *name}).second)
      graph.SetAttr(id, "tensor_name", *name + "/" + node.name);
  }
  return Status();
}

void AddRendezvous(std::vector<Mutant>& all) {
  Add(all, "rendezvous.1", "iterations-share-a-key", "the key does not hold the tag")
      .rules.rendezvous_tag = [](const std::string&) { return std::string(); };
  Add(all, "rendezvous.2", "data-alone", "a Send that control made dead sends its value",
      "a Send that is dead by a control edge sent its value as live")
      .rules.send_dead = [](const Arrivals& arrived) { return arrived.dead_data > 0; };
  Add(all, "rendezvous.2", "deadness-stays", "a dead Send sends a live token").rules.send_dead =
      [](const Arrivals&) { return false; };
  Add(all, "rendezvous.3", "a-second-send-is-dropped", "a key may be sent under twice").rewrite =
      KeysOfTheirOwn;
  Add(all, "rendezvous.4", "a-recv-does-not-wait", "a Recv whose token is late receives nothing")
      .rules.recv_waits = [] { return false; };
}

}  // namespace

void AddRaceMutants(std::vector<Mutant>& mutants) {
  AddOrder(mutants);
  AddRendezvous(mutants);
}

}  // namespace tagflow::fuzz
