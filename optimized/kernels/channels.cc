#include "optimized/kernels/channels.h"

#include <string>

namespace tagflow::optimized {

Result<bool> ChannelsComeSecond(const Node& node) {
  if (node.op == "BiasAddV1") return false;
  const Result<std::string> format = StringAttr(node, "data_format");
  if (!format.ok()) return format.status();
  return *format == "NCHW";
}

Status CheckHasChannels(DimsView dims) {
  if (dims.size() >= 2) return Status();
  return InvalidArgument("Input tensor must be at least 2D: " + DimsString(dims));
}

Result<Dims> ChannelDims(DimsView dims, bool second) {
  TAGFLOW_RETURN_IF_ERROR(CheckHasChannels(dims));
  Dims channels(dims.size(), 1);
  const size_t channel = second ? 1 : dims.size() - 1;
  channels[channel] = dims[channel];
  return channels;
}

}  // namespace tagflow::optimized
