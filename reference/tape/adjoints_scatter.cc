// Derivatives of the ops that put slices at places named by index, and of those that pick rows out
// by what they hold.

#include <cstddef>
#include <optional>
#include <string>

#include "reference/tape/adjoint.h"
#include "reference/tape/walk.h"

namespace tagflow::reference {
namespace {

// Where updates go: element k of the updates to element places[k] of the tensor, or nowhere.
using Places = std::vector<std::optional<size_t>>;

// Vectors of leading coordinates along the last dimension of `indices`.
Places PlacesAt(const Tensor& indices, DimsView dims) {
  const std::vector<int64_t> coordinates = ToIntegers(indices);
  const auto depth = static_cast<size_t>(indices.dims().back());
  const Dims steps = StepsOf(dims);
  const int64_t width = Product(dims, depth, dims.size());
  const int64_t count = Product(indices.dims(), 0, indices.dims().size() - 1);
  Places places;
  for (int64_t u = 0; u < count; ++u) {
    int64_t first = 0;
    bool inside = true;
    for (size_t d = 0; d < depth; ++d) {
      const int64_t at = coordinates[static_cast<size_t>(u) * depth + d];
      inside = inside && at >= 0 && at < dims[d];
      first += at * steps[d];
    }
    for (int64_t k = 0; k < width; ++k) {
      places.push_back(inside ? std::optional(static_cast<size_t>(first + k)) : std::nullopt);
    }
  }
  return places;
}

// Rows of input 0 by number, modulo how many there are.
Places PlacesOfRows(const FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  const int64_t width = Product(dims, 1, dims.size());
  Places places;
  for (const int64_t row : ToIntegers(firing.input(1))) {
    const int64_t inside = (row % dims[0] + dims[0]) % dims[0];
    for (int64_t k = 0; k < width; ++k) places.push_back(static_cast<size_t>(inside * width + k));
  }
  return places;
}

// output = input 0 with `sign` times the updates added.
Status AddedTo(FiringPartials& firing, const Places& places, double sign) {
  for (size_t i = 0; i < static_cast<size_t>(firing.output(0).num_elements()); ++i) {
    firing.Add(0, i, 0, i, 1);
  }
  for (size_t k = 0; k < places.size(); ++k) {
    if (places[k].has_value()) firing.Add(0, *places[k], 2, k, sign);
  }
  return Status();
}

// output = input 0 with the updates in the place of what was there, the last for each place.
Status PutInto(FiringPartials& firing, const Places& places) {
  const auto count = static_cast<size_t>(firing.output(0).num_elements());
  std::vector<std::optional<size_t>> update(count);
  for (size_t k = 0; k < places.size(); ++k) {
    if (places[k].has_value()) update[*places[k]] = k;
  }
  for (size_t i = 0; i < count; ++i) {
    if (update[i].has_value()) {
      firing.Add(0, i, 2, *update[i], 1);
    } else {
      firing.Add(0, i, 0, i, 1);
    }
  }
  return Status();
}

//   tensor, indices, updates
AdjointFunction TensorScatter(double sign) {
  return [sign](FiringPartials& firing) {
    return AddedTo(firing, PlacesAt(firing.input(1), firing.input(0).dims()), sign);
  };
}
Status TensorScatterUpdate(FiringPartials& firing) {
  return PutInto(firing, PlacesAt(firing.input(1), firing.input(0).dims()));
}

// An extreme that several share is shared out evenly.
//   tensor, indices, updates
Status TensorScatterExtreme(FiringPartials& firing) {
  const Places places = PlacesAt(firing.input(1), firing.input(0).dims());
  const std::vector<double> tensor = ToDoubles(firing.input(0));
  const std::vector<double> updates = ToDoubles(firing.input(2));
  const std::vector<double> output = ToDoubles(firing.output(0));
  std::vector<double> shares(output.size());
  for (size_t i = 0; i < output.size(); ++i) shares[i] = tensor[i] == output[i] ? 1 : 0;
  const auto is_hit = [&](size_t k) {
    return places[k].has_value() && updates[k] == output[*places[k]];
  };
  for (size_t k = 0; k < places.size(); ++k) {
    if (is_hit(k)) ++shares[*places[k]];
  }
  for (size_t i = 0; i < output.size(); ++i) {
    if (tensor[i] == output[i]) firing.Add(0, i, 0, i, 1 / shares[i]);
  }
  for (size_t k = 0; k < places.size(); ++k) {
    if (is_hit(k)) firing.Add(0, *places[k], 2, k, 1 / shares[*places[k]]);
  }
  return Status();
}

//   indices, updates, shape
Status ScatterNd(FiringPartials& firing) {
  const Places places = PlacesAt(firing.input(0), firing.output(0).dims());
  for (size_t k = 0; k < places.size(); ++k) {
    if (places[k].has_value()) firing.Add(0, *places[k], 1, k, 1);
  }
  return Status();
}

//   x, i, v; where there is nothing to change, x
AdjointFunction InplaceChange(double sign) {
  return [sign](FiringPartials& firing) {
    if (firing.output(0).num_elements() == 0) return Status();
    return AddedTo(firing, PlacesOfRows(firing), sign);
  };
}
Status InplaceUpdate(FiringPartials& firing) {
  if (firing.output(0).num_elements() == 0) return Status();
  return PutInto(firing, PlacesOfRows(firing));
}

//   data, partitions: of the leading dimensions of data
Status DynamicPartition(FiringPartials& firing) {
  const DimsView dims = firing.input(0).dims();
  const std::vector<int64_t> partitions = ToIntegers(firing.input(1));
  const auto width = static_cast<size_t>(Product(dims, firing.input(1).dims().size(), dims.size()));
  std::vector<size_t> next(firing.num_outputs(), 0);
  for (size_t row = 0; row < partitions.size(); ++row) {
    const auto port = static_cast<size_t>(partitions[row]);
    for (size_t k = 0; k < width; ++k) {
      if (firing.flows_from(port)) firing.Add(port, next[port] + k, 0, row * width + k, 1);
    }
    next[port] += width;
  }
  return Status();
}

//   input, and of V2 k -> values, indices: along the last dimension
Status TopK(FiringPartials& firing) {
  if (!firing.flows_from(0)) return Status();
  const auto length = static_cast<size_t>(firing.input(0).dims().back());
  const auto k = static_cast<size_t>(firing.output(0).dims().back());
  const std::vector<int64_t> indices = ToIntegers(firing.output(1));
  for (size_t o = 0; o < indices.size(); ++o) {
    firing.Add(0, o, 0, o / k * length + static_cast<size_t>(indices[o]), 1);
  }
  return Status();
}

// What is left of x, and where it was.
//   x, y -> out, idx
Status ListDiff(FiringPartials& firing) {
  if (!firing.flows_from(0)) return Status();
  const std::vector<int64_t> places = ToIntegers(firing.output(1));
  for (size_t o = 0; o < places.size(); ++o) {
    firing.Add(0, o, 0, static_cast<size_t>(places[o]), 1);
  }
  return Status();
}

//   start, stop, num
Status LinSpace(FiringPartials& firing) {
  const auto count = static_cast<size_t>(firing.output(0).num_elements());
  for (size_t o = 0; o < count; ++o) {
    const double way = count == 1 ? 0 : static_cast<double>(o) / static_cast<double>(count - 1);
    firing.Add(0, o, 0, 0, 1 - way);
    firing.Add(0, o, 1, 0, way);
  }
  return Status();
}

}  // namespace

void AddScatterAdjoints(AdjointTable& table) {
  table.Set("TensorScatterAdd", TensorScatter(1));
  table.Set("TensorScatterSub", TensorScatter(-1));
  table.Set("ScatterNdNonAliasingAdd", TensorScatter(1));
  table.Set("TensorScatterUpdate", TensorScatterUpdate);
  table.Set("TensorScatterMax", TensorScatterExtreme);
  table.Set("TensorScatterMin", TensorScatterExtreme);
  table.Set("ScatterNd", ScatterNd);
  table.Set("InplaceAdd", InplaceChange(1));
  table.Set("InplaceSub", InplaceChange(-1));
  table.Set("InplaceUpdate", InplaceUpdate);
  table.Set("DynamicPartition", DynamicPartition);
  table.Set("TopK", TopK);
  table.Set("TopKV2", TopK);
  table.Set("ListDiff", ListDiff);
  table.Set("LinSpace", LinSpace);
}

}  // namespace tagflow::reference
