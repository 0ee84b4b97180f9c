#include "fuzz/graphs/message.h"

namespace tagflow::fuzz {

void SetMessage(Graph& graph, NodeId end, const MessageKey& key) {
  const std::string device = "/job:localhost/replica:0/task:0/device:CPU:";
  graph.SetAttr(end, "tensor_name", key.name);
  graph.SetAttr(end, "send_device", device + std::to_string(key.sender));
  graph.SetAttr(end, "send_device_incarnation", 1);
  graph.SetAttr(end, "recv_device", device + std::to_string(key.receiver));
}

}  // namespace tagflow::fuzz
