#include "transform/placement/placement.h"

#include <algorithm>

#include "transform/placement/requests.h"

namespace tagflow {

Result<Placement> PlaceAsAsked(const Graph& graph, const std::vector<std::string>& devices,
                               bool soft, const DeviceCatalog* catalog) {
  RequestOptions options;
  options.soft = soft;
  options.catalog = catalog;
  TAGFLOW_ASSIGN_OR_RETURN(const Requests requests,
                           ReadRequests(graph, devices, ColocatedGroups(graph), options));
  Placement placement{devices, std::vector<std::string>(graph.id_limit())};
  for (const NodeId id : graph.NodeIds()) {
    const std::vector<bool>& fits = requests.fits[Index(requests.group_of[Index(id)])];
    const auto first = std::find(fits.begin(), fits.end(), true) - fits.begin();
    placement.device_of[Index(id)] = devices[static_cast<size_t>(first)];
  }
  return placement;
}

}  // namespace tagflow
