#ifndef TAGFLOW_INCLUDE_TAGFLOW_H_
#define TAGFLOW_INCLUDE_TAGFLOW_H_

// Tagflow for C, and for every language that calls C.
//
//   tagflow_graph* graph;
//   tagflow_error* error = tagflow_graph_load("graph.pbtxt", NULL, &graph);
//   if (error) { fprintf(stderr, "%s\n", tagflow_error_text(error)); ... }
//
// Errors. A function that can fail returns a tagflow_error*: NULL where all went well; else what
// went wrong, which the caller frees, and nothing was made.
//
// Ownership. What a function gives through a pointer to a handle (tagflow_graph** and the like) is
// the caller's, who frees it with the function of its kind (tagflow_graph_free, ...); these take
// NULL. What is given to a function stays the caller's unless its comment says that it is taken.
// Texts and arrays that are returned belong to the handle they are asked of, and live as long.
// A graph, library and session may be freed in any order: each keeps what it needs of the others.
//
// Threads. A session, its calls, a graph and a canceller may be used by several threads at once.
// All else is used by one at a time; tensors may be freed on any thread.
//
// Versions. Structs begin with their size, which the caller sets (TAGFLOW_INIT): later versions add
// fields at the end, whose zero means what there was before. Functions are never changed or taken
// away; their symbols are versioned (TAGFLOW_1).

#include <stddef.h>
#include <stdint.h>

/* struct tagflow_run_options options = TAGFLOW_INIT(tagflow_run_options); */
#ifdef __cplusplus
template <typename T>
T tagflow_init() {
  T made = {};
  made.size = sizeof(T);
  return made;
}
#define TAGFLOW_INIT(type) tagflow_init<struct type>()
#else
#define TAGFLOW_INIT(type) \
  { .size = sizeof(struct type) }
#endif

#define TAGFLOW_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tagflow_error tagflow_error;
typedef struct tagflow_tensor tagflow_tensor;
typedef struct tagflow_library tagflow_library;
typedef struct tagflow_graph tagflow_graph;
typedef struct tagflow_session tagflow_session;
typedef struct tagflow_call tagflow_call;
typedef struct tagflow_canceller tagflow_canceller;
typedef struct tagflow_firing tagflow_firing;

TAGFLOW_API const char* tagflow_version(void); /* "0.1.0" */

/* ---- Errors ---- */

/* TensorFlow's canonical codes. */
enum tagflow_code {
  TAGFLOW_OK = 0,
  TAGFLOW_CANCELLED = 1,
  TAGFLOW_UNKNOWN = 2,
  TAGFLOW_INVALID_ARGUMENT = 3,
  TAGFLOW_DEADLINE_EXCEEDED = 4,
  TAGFLOW_NOT_FOUND = 5,
  TAGFLOW_ALREADY_EXISTS = 6,
  TAGFLOW_PERMISSION_DENIED = 7,
  TAGFLOW_RESOURCE_EXHAUSTED = 8,
  TAGFLOW_FAILED_PRECONDITION = 9,
  TAGFLOW_ABORTED = 10,
  TAGFLOW_OUT_OF_RANGE = 11,
  TAGFLOW_UNIMPLEMENTED = 12,
  TAGFLOW_INTERNAL = 13,
  TAGFLOW_UNAVAILABLE = 14,
  TAGFLOW_DATA_LOSS = 15,
  TAGFLOW_UNAUTHENTICATED = 16
};

/* An error of one's own: of a kernel. message: copied. */
TAGFLOW_API tagflow_error* tagflow_error_new(int code, const char* message);
TAGFLOW_API void tagflow_error_free(tagflow_error* error);
TAGFLOW_API int tagflow_error_code(const tagflow_error* error);
/* All of it in a line, as the `tagflow` command prints it. */
TAGFLOW_API const char* tagflow_error_text(const tagflow_error* error);
/* Where it happened, or "": the node; the tag of the firing ("while[3]" is iteration 3 of the loop
 * `while`); the rule of docs/semantics.md; the device. */
TAGFLOW_API const char* tagflow_error_node(const tagflow_error* error);
TAGFLOW_API const char* tagflow_error_tag(const tagflow_error* error);
TAGFLOW_API const char* tagflow_error_rule(const tagflow_error* error);
TAGFLOW_API const char* tagflow_error_device(const tagflow_error* error);

/* ---- Tensors ---- */
/* TensorFlow's numbers of dtypes. */
enum tagflow_dtype {
  TAGFLOW_FLOAT = 1,
  TAGFLOW_DOUBLE = 2,
  TAGFLOW_INT32 = 3,
  TAGFLOW_UINT8 = 4,
  TAGFLOW_INT16 = 5,
  TAGFLOW_INT8 = 6,
  TAGFLOW_STRING = 7,
  TAGFLOW_COMPLEX64 = 8,
  TAGFLOW_INT64 = 9,
  TAGFLOW_BOOL = 10,
  TAGFLOW_BFLOAT16 = 14,
  TAGFLOW_UINT16 = 17,
  TAGFLOW_COMPLEX128 = 18,
  TAGFLOW_HALF = 19,
  TAGFLOW_RESOURCE = 20,
  TAGFLOW_VARIANT = 21,
  TAGFLOW_UINT32 = 22,
  TAGFLOW_UINT64 = 23
};

/* A tensor of zeros (of strings: of empty ones). dims: `rank` of them, in row-major order.
 *   INVALID_ARGUMENT for a dtype that is none or negative dims, RESOURCE_EXHAUSTED */
TAGFLOW_API tagflow_error* tagflow_tensor_new(int dtype, int rank, const int64_t* dims,
                                              tagflow_tensor** tensor);
/* A tensor over the caller's memory, which is read where it lies: row-major, aligned as elements
 * are. Nobody may change it until `release`(context) is called, on any thread, when nobody needs it
 * any more; `release` may be NULL where the memory stays for ever. Not for strings, resources and
 * variants. On an error `release` is not called.
 *   INVALID_ARGUMENT */
TAGFLOW_API tagflow_error* tagflow_tensor_borrow(int dtype, int rank, const int64_t* dims,
                                                 const void* data, void (*release)(void* context),
                                                 void* context, tagflow_tensor** tensor);
TAGFLOW_API void tagflow_tensor_free(tagflow_tensor* tensor);
/* Another handle of the same elements. */
TAGFLOW_API tagflow_tensor* tagflow_tensor_share(const tagflow_tensor* tensor);
TAGFLOW_API int tagflow_tensor_dtype(const tagflow_tensor* tensor);
TAGFLOW_API int tagflow_tensor_rank(const tagflow_tensor* tensor);
TAGFLOW_API const int64_t* tagflow_tensor_dims(const tagflow_tensor* tensor);
TAGFLOW_API int64_t tagflow_tensor_elements(const tagflow_tensor* tensor);
/* The elements, row-major; NULL for strings, resources and variants. */
TAGFLOW_API const void* tagflow_tensor_data(const tagflow_tensor* tensor);
/* The same to write; NULL also where others have these elements: a constant, a variable, another
 * handle, a lender. */
TAGFLOW_API void* tagflow_tensor_mutable_data(tagflow_tensor* tensor);
/* Element i of a tensor of strings, of `*size` bytes, which may hold zeros; NULL where there is no
 * such element. */
TAGFLOW_API const char* tagflow_tensor_string(const tagflow_tensor* tensor, int64_t i,
                                              size_t* size);
/* Sets it. bytes: copied.
 *   INVALID_ARGUMENT where there is no such element, FAILED_PRECONDITION where others have it */
TAGFLOW_API tagflow_error* tagflow_tensor_set_string(tagflow_tensor* tensor, int64_t i,
                                                     const char* bytes, size_t size);

/* By DLPack (https://dmlc.github.io/dlpack): tensors of other libraries, of the host's memory. */
struct DLManagedTensor;
/* Takes `foreign`, and calls its deleter when nobody needs its elements any more; they are copied
 * where they are not in row-major order. On an error it stays the caller's.
 *   INVALID_ARGUMENT for another device or a dtype that is none of ours */
TAGFLOW_API tagflow_error* tagflow_tensor_from_dlpack(struct DLManagedTensor* foreign,
                                                      tagflow_tensor** tensor);
/* The caller calls the deleter. Elements that others have, too, are copied.
 *   INVALID_ARGUMENT for strings, resources and variants */
TAGFLOW_API tagflow_error* tagflow_tensor_to_dlpack(const tagflow_tensor* tensor,
                                                    struct DLManagedTensor** managed);

/* ---- Ops of one's own ---- */

/* Tagflow's ops, and those that are added. No op is added any more once a graph was loaded with it:
 * FAILED_PRECONDITION. */
TAGFLOW_API tagflow_error* tagflow_library_new(tagflow_library** library);
TAGFLOW_API void tagflow_library_free(tagflow_library* library);

/* Computes the outputs of one firing; may be called by several threads at once. Returns NULL, or an
 * error, which is taken. */
typedef tagflow_error* (*tagflow_kernel)(void* context, tagflow_firing* firing);

struct tagflow_op {
  size_t size; /* of this struct */
  const char* name;
  /* In TensorFlow's notation, `num_specs` of them: "input x: T", "output y: T",
   * "attr T: {float, double}", "attr axis: int = 0". */
  const char* const* specs;
  size_t num_specs;
  int is_stateful; /* never left out, merged or computed beforehand */
  tagflow_kernel kernel;
  void* context;                  /* given to the kernel; outlives the library */
  void (*release)(void* context); /* called when nobody needs it any more; may be NULL */
};
/*   ALREADY_EXISTS, INVALID_ARGUMENT for a spec that cannot be read */
TAGFLOW_API tagflow_error* tagflow_library_add_op(tagflow_library* library,
                                                  const struct tagflow_op* op);

/* Of a firing, while its kernel runs. The inputs belong to it. */
TAGFLOW_API int tagflow_firing_num_inputs(const tagflow_firing* firing);
/* NULL where there is no such input. */
TAGFLOW_API const tagflow_tensor* tagflow_firing_input(tagflow_firing* firing, int i);
TAGFLOW_API const char* tagflow_firing_node(const tagflow_firing* firing);
/* Attrs of the node. INVALID_ARGUMENT where it has none of this name and kind. */
TAGFLOW_API tagflow_error* tagflow_firing_attr_int(const tagflow_firing* firing, const char* name,
                                                   int64_t* value);
TAGFLOW_API tagflow_error* tagflow_firing_attr_float(const tagflow_firing* firing, const char* name,
                                                     float* value);
/* Takes the tensor, on an error too.
 *   INVALID_ARGUMENT where there is no such output, or it has another dtype */
TAGFLOW_API tagflow_error* tagflow_firing_set_output(tagflow_firing* firing, int i,
                                                     tagflow_tensor* tensor);

/* ---- Graphs ---- */
struct tagflow_load_options {
  size_t size;                    /* of this struct */
  const tagflow_library* library; /* NULL: Tagflow's own ops */
  /* Of a SavedModel, which of its graphs: the one of these tags; none: the one that serves. */
  const char* const* tags;
  size_t num_tags;
};
/* A file that holds a GraphDef, binary or text, or a MetaGraph; or the folder of a SavedModel.
 * options: may be NULL. */
TAGFLOW_API tagflow_error* tagflow_graph_load(const char* path,
                                              const struct tagflow_load_options* options,
                                              tagflow_graph** graph);
/* From a GraphDef, binary or text, of `size` bytes, which are not needed afterwards. */
TAGFLOW_API tagflow_error* tagflow_graph_parse(const void* bytes, size_t size,
                                               const struct tagflow_load_options* options,
                                               tagflow_graph** graph);
TAGFLOW_API void tagflow_graph_free(tagflow_graph* graph);
TAGFLOW_API size_t tagflow_graph_num_nodes(const tagflow_graph* graph);
/* What a signature of a SavedModel calls a tensor: its input or output `name` as "node:1".
 *   NOT_FOUND, naming those there are */
TAGFLOW_API tagflow_error* tagflow_graph_signature_input(const tagflow_graph* graph,
                                                         const char* signature, const char* name,
                                                         const char** tensor);
TAGFLOW_API tagflow_error* tagflow_graph_signature_output(const tagflow_graph* graph,
                                                          const char* signature, const char* name,
                                                          const char** tensor);

/* ---- Sessions ---- */
struct tagflow_session_options {
  size_t size; /* of this struct */
  int threads; /* that may run kernels of a step; 0: one per core */
  /* Which there are, as "/device:CPU:0"; none: one CPU. */
  const char* const* devices;
  size_t num_devices;
  int soft_placement;   /* whether what a node asks for that is not there runs on what is */
  const char* executor; /* NULL or "auto", "straight", "tokens", "native", "interpreted" */
  const char* passes;   /* NULL or "none", "all", "constants,switches", ... */
};
/* A graph and its variables. Of a SavedModel they are restored and its tables filled.
 * options: may be NULL. The graph may be freed. */
TAGFLOW_API tagflow_error* tagflow_session_open(const tagflow_graph* graph,
                                                const struct tagflow_session_options* options,
                                                tagflow_session** session);
/* Calls of it can be used afterwards, until they are freed, too. */
TAGFLOW_API void tagflow_session_free(tagflow_session* session);

/* Which tensors are fed and fetched ("node", "node:1"), and which nodes are run for their effect.
 */
struct tagflow_call_names {
  size_t size; /* of this struct */
  const char* const* feeds;
  size_t num_feeds;
  const char* const* fetches;
  size_t num_fetches;
  const char* const* targets;
  size_t num_targets;
};
/* A step made ready, to be run again and again.
 *   NOT_FOUND, INVALID_ARGUMENT and UNIMPLEMENTED naming node or tensor */
TAGFLOW_API tagflow_error* tagflow_session_prepare(tagflow_session* session,
                                                   const struct tagflow_call_names* names,
                                                   tagflow_call** call);
TAGFLOW_API void tagflow_call_free(tagflow_call* call);
/* Which executor runs it, and why not the straight one: for people. */
TAGFLOW_API const char* tagflow_call_about(const tagflow_call* call);

struct tagflow_run_options {
  size_t size;                  /* of this struct */
  double timeout_s;             /* 0: none */
  int64_t max_firings;          /* of kernels; 0: no limit */
  tagflow_canceller* canceller; /* NULL: nobody cancels it */
};
/* Runs one step.
 *   feeds: by position, as the call was prepared; they stay the caller's
 *   options: may be NULL
 *   results: room for one handle per fetch, which is the caller's; written where all went well
 * The session can be used after any error. */
TAGFLOW_API tagflow_error* tagflow_call_run(const tagflow_call* call,
                                            const tagflow_tensor* const* feeds,
                                            const struct tagflow_run_options* options,
                                            tagflow_tensor** results);

/* Ends steps from another thread. It outlives the steps that were given it. */
TAGFLOW_API tagflow_error* tagflow_canceller_new(tagflow_canceller** canceller);
TAGFLOW_API void tagflow_canceller_free(tagflow_canceller* canceller);
/* The steps that run with it end with CANCELLED, and so do later ones, until it is reset. */
TAGFLOW_API void tagflow_canceller_cancel(tagflow_canceller* canceller);
TAGFLOW_API void tagflow_canceller_reset(tagflow_canceller* canceller);

#ifdef __cplusplus
}
#endif

#endif  // TAGFLOW_INCLUDE_TAGFLOW_H_
