#ifndef TAGFLOW_FUZZ_GRAPHS_MESSAGE_H_
#define TAGFLOW_FUZZ_GRAPHS_MESSAGE_H_

// The attrs of Sends and Recvs. Tested by unstructured_test.cc.

#include <string>

#include "graph/graph.h"

namespace tagflow::fuzz {

// Under which a Send and a Recv meet, but for the tag ([rendezvous.1]).
struct MessageKey {
  std::string name;
  int sender = 0;  // numbers of devices
  int receiver = 0;
};

// Makes a Send or a Recv one end of the message of that key.
void SetMessage(Graph& graph, NodeId end, const MessageKey& key);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_MESSAGE_H_
