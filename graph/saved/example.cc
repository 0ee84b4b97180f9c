#include "graph/saved/example.h"

#include <utility>
#include <vector>

#include "graph/saved/example.pb.h"

namespace tagflow {
namespace {

template <typename T, typename List>
Tensor VectorOf(const List& list) {
  return Tensor::Vector(std::vector<T>(list.value().begin(), list.value().end()));
}

// No value where it has none of any kind.
Tensor ValuesOf(const FeatureProto& feature) {
  switch (feature.kind_case()) {
    case FeatureProto::kTexts:
      return VectorOf<std::string>(feature.texts());
    case FeatureProto::kFloats:
      return VectorOf<float>(feature.floats());
    case FeatureProto::kInts:
      return VectorOf<int64_t>(feature.ints());
    default:
      return Tensor();
  }
}

}  // namespace

Result<Example> ReadExample(const std::string& bytes) {
  ExampleProto proto;
  if (!proto.ParseFromString(bytes)) {
    return InvalidArgument("Could not parse example input: its " + std::to_string(bytes.size()) +
                           " bytes are no tf.Example");
  }
  Example example;
  for (const auto& entry : proto.features().entry()) {
    Tensor values = ValuesOf(entry.feature());
    if (values.has_value()) {
      example.insert_or_assign(entry.name(), std::move(values));
    } else {
      example.erase(entry.name());
    }
  }
  return example;
}

}  // namespace tagflow
