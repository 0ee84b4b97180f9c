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

// The object of class T that a handle is of, which keeps it alive; null where it is none of T.
template <typename T>
T* ObjectIn(const Tensor& handle) {
  static_assert(std::is_final_v<T>);
  if (handle.dtype() != DType::kResource || handle.num_elements() != 1) return nullptr;
  Resource* const object = handle.data<ResourceHandle>()->object.get();
  return object != nullptr && typeid(*object) == typeid(T) ? static_cast<T*>(object) : nullptr;
}

// Why a handle is not of what is asked for.
//   handle: of dtype resource;  what: "a stack"
inline Status NotHandleOf(const Tensor& handle, std::string_view what) {
  if (handle.num_elements() != 1) {
    return InvalidArgument("the handle of " + std::string(what) +
                           " must be a scalar, but it has shape " + DimsString(handle.dims()));
  }
  const auto& found = *handle.data<ResourceHandle>();
  return InvalidArgument("'" + found.name + "' is the handle of a " +
                         (found.type_name.empty() ? "nothing" : found.type_name) + ", not of " +
                         std::string(what));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_STEP_OBJECTS_H_
