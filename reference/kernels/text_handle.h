#ifndef TAGFLOW_REFERENCE_KERNELS_TEXT_HANDLE_H_
#define TAGFLOW_REFERENCE_KERNELS_TEXT_HANDLE_H_

// Handles as older ops have them (Stack, TensorArrayV2, HashTable): two texts, a container and a
// name, in a tensor, or in a variable that goes from op to op by reference.
//                                                              Spec: [resource.1], [resource.2]

#include <memory>
#include <string>

#include "graph/status.h"
#include "reference/kernel.h"

namespace tagflow::reference {

struct TextHandle {
  std::string container;
  std::string name;
};

// Whether input 0 is one.
bool TakesTextHandle(const KernelContext& context);
// What input 0 says.   Errors: INVALID_ARGUMENT for other than two texts
Result<TextHandle> TextHandleOf(const KernelContext& context);

// The object of the step that input 0 names.   Errors: INVALID_ARGUMENT; NOT_FOUND
Result<std::shared_ptr<StepObject>> NamedObject(const KernelContext& context);

// Gives a handle as output 0.
Status GiveTextHandle(KernelContext& context, const TextHandle& handle);
// The same of an object of the step, which then lives as long as the step.
Status GiveNamed(KernelContext& context, const std::string& container,
                 std::shared_ptr<StepObject> object);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_TEXT_HANDLE_H_
