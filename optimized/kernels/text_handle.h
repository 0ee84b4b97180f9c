#ifndef TAGFLOW_OPTIMIZED_KERNELS_TEXT_HANDLE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_TEXT_HANDLE_H_

// Handles of older graphs, whose stacks, arrays and tables are found by a container and a name: a
// tensor of two texts, or a reference to a variable with one.   Spec: [resource.1], [resource.2]

#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/kernels/step_objects.h"

namespace tagflow::optimized {

using TextHandle = std::pair<std::string, std::string>;  // container, name

// Whether input 0 is one, and not a handle of its own.
bool IsTextHandle(const Tensor& input);
// What input 0 says.   Errors: INVALID_ARGUMENT for other than two texts
Result<TextHandle> TextHandleOf(const KernelContext& context);
// The object of the step that input 0 names, which the step keeps alive.
//   Errors: INVALID_ARGUMENT; NOT_FOUND
Result<StepObject*> NamedObject(const KernelContext& context);

// How a node gives handles: as resources or as texts.
struct HandleForm {
  explicit HandleForm(const Binding& binding)
      : is_text(binding.output_dtype(0) == DType::kString),
        is_reference(binding.signature.outputs[0].is_ref),
        node(binding.node.name) {}
  bool is_text;
  bool is_reference;
  std::string node;
};
// Gives output 0.   REQUIRES: form.is_text
Status GiveTextHandle(KernelContext& context, const HandleForm& form, const TextHandle& handle);
// Gives a handle of an object of the step: of texts, under which the step keeps it, where the form
// says so.
Status GiveHandle(KernelContext& context, const HandleForm& form,
                  std::shared_ptr<StepObject> object, const char* type_name, const char* container);

// The object of class T that input 0 is the handle of, of either kind; the input or the step keeps
// it alive.
//   what: "a stack"
//   Errors: INVALID_ARGUMENT; NOT_FOUND
template <typename T>
Result<T*> ObjectOf(const KernelContext& context, std::string_view what) {
  const Tensor& handle = context.input(0);
  if (T* const object = ObjectIn<T>(handle)) return object;
  if (!IsTextHandle(handle)) return NotHandleOf(handle, what);
  TAGFLOW_ASSIGN_OR_RETURN(StepObject * object, NamedObject(context));
  if (typeid(*object) == typeid(T)) return static_cast<T*>(object);
  return InvalidArgument("'" + object->name() + "' is not " + std::string(what));
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_TEXT_HANDLE_H_
