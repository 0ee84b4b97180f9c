#ifndef TAGFLOW_C_HANDLES_H_
#define TAGFLOW_C_HANDLES_H_

// The handles of include/tagflow.h hold these; ErrorOf and Options translate errors and options.

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "graph/op_def.h"
#include "graph/saved/saved_model.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "include/tagflow.h"
#include "optimized/kernel.h"
#include "optimized/session.h"

struct tagflow_error {
  tagflow::Status status;
  std::string text;
};

struct tagflow_tensor {
  tagflow::Tensor tensor;
};

namespace tagflow::c {

// Ops and kernels. Fixed once a graph was loaded with it.
struct Library {
  OpRegistry ops;
  optimized::KernelRegistry kernels;
  bool is_fixed = false;
};

// A model, and the library that its ops are of; null: Tagflow's own.
struct Model {
  std::shared_ptr<Library> library;
  SavedModelGraph graph;
};

// A session, and what it runs.
struct Opened {
  std::shared_ptr<const Model> model;
  std::unique_ptr<optimized::Session> session;
};

}  // namespace tagflow::c

struct tagflow_library {
  std::shared_ptr<tagflow::c::Library> library;
};

struct tagflow_graph {
  std::shared_ptr<const tagflow::c::Model> model;
};

struct tagflow_session {
  std::shared_ptr<tagflow::c::Opened> opened;
};

struct tagflow_call {
  std::shared_ptr<tagflow::c::Opened> opened;
  const tagflow::optimized::Callable* callable = nullptr;
  size_t feeds = 0;
};

struct tagflow_canceller {
  tagflow::optimized::Canceller canceller;
};

namespace tagflow::c {

// NULL for OK. There is always an error to be had: one of no memory is made beforehand.
tagflow_error* ErrorOf(const Status& status);

// Runs `body`, which returns a Status, and makes an error of that, or of its running out of memory.
template <typename F>
tagflow_error* Guard(F body) {
  try {
    return ErrorOf(body());
  } catch (const std::bad_alloc&) {
    return ErrorOf(ResourceExhausted("no memory"));
  }
}

// The struct as this version has it: what the caller's has not is zero.
//   Errors: INVALID_ARGUMENT where its size is not set
template <typename T>
Result<T> Options(const T* given, const char* name) {
  T all = {};
  if (given == nullptr) return all;
  if (given->size < sizeof(size_t)) {
    return InvalidArgument(std::string(name) + ".size is not set: use TAGFLOW_INIT");
  }
  std::memcpy(static_cast<void*>(&all), given, std::min(given->size, sizeof(T)));
  return all;
}

inline std::vector<std::string> Texts(const char* const* texts, size_t count) {
  return std::vector<std::string>(texts, texts + count);
}

}  // namespace tagflow::c

#endif  // TAGFLOW_C_HANDLES_H_
