#ifndef TAGFLOW_OPTIMIZED_KERNELS_STEP_OBJECTS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_STEP_OBJECTS_H_

// Stacks and arrays: made by one firing, shared by their handles, gone with the last of them or
// with the step.                                                               Spec: [resource.2]

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// What an object of a step is known by: the name of the node that makes it, and the tag, so that
// each iteration has its own.
inline std::string NameAtTag(const std::string& node, const KernelContext& context) {
  const std::string tag = context.tag();
  return tag.empty() ? node : node + " at " + tag;
}

inline Tensor HandleTo(std::shared_ptr<StepObject> object, std::string_view type_name) {
  ResourceHandle handle;
  handle.name = object->name();
  handle.type_name = type_name;
  handle.object = std::move(object);
  return Tensor::Scalar(std::move(handle));
}

// The object of class T that input 0 is the handle of; the input keeps it alive.
//   what: "a stack"
//   Errors: INVALID_ARGUMENT
template <typename T>
Result<T*> ObjectOf(const KernelContext& context, std::string_view what) {
  static_assert(std::is_final_v<T>);
  const Tensor& input = context.input(0);
  if (input.num_elements() != 1) {
    return InvalidArgument("the handle of " + std::string(what) +
                           " must be a scalar, but it has shape " + DimsString(input.dims()));
  }
  const ResourceHandle& handle = *input.data<ResourceHandle>();
  Resource* object = handle.object.get();
  if (object != nullptr && typeid(*object) == typeid(T)) return static_cast<T*>(object);
  return InvalidArgument("'" + handle.name + "' is the handle of a " +
                         (handle.type_name.empty() ? "nothing" : handle.type_name) + ", not of " +
                         std::string(what));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_STEP_OBJECTS_H_
