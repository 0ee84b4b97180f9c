#ifndef TAGFLOW_GRAPH_OUT_OF_MEMORY_H_
#define TAGFLOW_GRAPH_OUT_OF_MEMORY_H_

// An allocation that fails is an error like others. Inside the library it is an exception, which
// leaves every object as its destructor needs it; where the library is entered (a public function,
// a thread of its own) it becomes a Status.

#include <new>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include "graph/status.h"

namespace tagflow {

// RESOURCE_EXHAUSTED, made without allocating anything.
Status OutOfMemory();

// What `work` returns, a Status or Result; OutOfMemory() where it runs out of memory, or of
// threads.
template <typename Work>
std::invoke_result_t<Work> OrOutOfMemory(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::length_error&) {  // a container larger than memory is
    return OutOfMemory();
  } catch (const std::system_error&) {  // no thread to be had
    return OutOfMemory();
  }
}

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OUT_OF_MEMORY_H_
