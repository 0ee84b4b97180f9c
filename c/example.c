/* Runs a TensorFlow graph from C: example GRAPH, a graph with an int32 scalar `n` that computes the
 * int32 scalars `best` and `start`, as examples/collatz/graph.pbtxt.
 *
 * An op of one's own is at the end: Example>Double. */

#include <stdio.h>
#include <string.h>

#include "include/tagflow.h"

/* Says what went wrong, if anything did, and frees it. */
static int failed(tagflow_error* error) {
  if (error == NULL) return 0;
  fprintf(stderr, "%s\n", tagflow_error_text(error));
  tagflow_error_free(error);
  return 1;
}

static int run_collatz(const char* path) {
  static const char* const kFeeds[] = {"n"};
  static const char* const kFetches[] = {"best", "start"};
  const int32_t n = 60;
  struct tagflow_call_names names = TAGFLOW_INIT(tagflow_call_names);
  tagflow_graph* graph = NULL;
  tagflow_session* session = NULL;
  tagflow_call* call = NULL;
  tagflow_tensor* feed = NULL;
  tagflow_tensor* results[2] = {NULL, NULL};
  int code = 1;

  names.feeds = kFeeds;
  names.num_feeds = 1;
  names.fetches = kFetches;
  names.num_fetches = 2;
  if (failed(tagflow_graph_load(path, NULL, &graph))) goto end;
  if (failed(tagflow_session_open(graph, NULL, &session))) goto end;
  if (failed(tagflow_session_prepare(session, &names, &call))) goto end;
  if (failed(tagflow_tensor_borrow(TAGFLOW_INT32, 0, NULL, &n, NULL, NULL, &feed))) goto end;
  {
    const tagflow_tensor* feeds[1];
    feeds[0] = feed;
    if (failed(tagflow_call_run(call, feeds, NULL, results))) goto end;
  }
  printf("best: %d\n", *(const int32_t*)tagflow_tensor_data(results[0]));
  printf("start: %d\n", *(const int32_t*)tagflow_tensor_data(results[1]));
  code = 0;

end:
  tagflow_tensor_free(results[0]);
  tagflow_tensor_free(results[1]);
  tagflow_tensor_free(feed);
  tagflow_call_free(call);
  tagflow_session_free(session);
  tagflow_graph_free(graph);
  return code;
}

/* y = 2 x, of floats of any shape. */
static tagflow_error* double_it(void* context, tagflow_firing* firing) {
  const tagflow_tensor* const x = tagflow_firing_input(firing, 0);
  const float* const from = (const float*)tagflow_tensor_data(x);
  const int64_t count = tagflow_tensor_elements(x);
  tagflow_tensor* y = NULL;
  tagflow_error* const error =
      tagflow_tensor_new(TAGFLOW_FLOAT, tagflow_tensor_rank(x), tagflow_tensor_dims(x), &y);
  float* to;
  int64_t i;
  (void)context;
  if (error != NULL) return error;
  to = (float*)tagflow_tensor_mutable_data(y);
  for (i = 0; i < count; ++i) to[i] = 2 * from[i];
  return tagflow_firing_set_output(firing, 0, y);
}

static int run_own_op(void) {
  static const char* const kSpecs[] = {"input x: float", "output y: float"};
  static const char kGraph[] =
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }"
      "node { name: 'y' op: 'Example>Double' input: 'x' }";
  static const char* const kFeeds[] = {"x"};
  static const char* const kFetches[] = {"y"};
  const float x = 21;
  struct tagflow_op op = TAGFLOW_INIT(tagflow_op);
  struct tagflow_load_options options = TAGFLOW_INIT(tagflow_load_options);
  struct tagflow_call_names names = TAGFLOW_INIT(tagflow_call_names);
  tagflow_library* library = NULL;
  tagflow_graph* graph = NULL;
  tagflow_session* session = NULL;
  tagflow_call* call = NULL;
  tagflow_tensor* feed = NULL;
  tagflow_tensor* result = NULL;
  int code = 1;

  op.name = "Example>Double";
  op.specs = kSpecs;
  op.num_specs = 2;
  op.kernel = double_it;
  names.feeds = kFeeds;
  names.num_feeds = 1;
  names.fetches = kFetches;
  names.num_fetches = 1;
  if (failed(tagflow_library_new(&library))) goto end;
  if (failed(tagflow_library_add_op(library, &op))) goto end;
  options.library = library;
  if (failed(tagflow_graph_parse(kGraph, strlen(kGraph), &options, &graph))) goto end;
  if (failed(tagflow_session_open(graph, NULL, &session))) goto end;
  if (failed(tagflow_session_prepare(session, &names, &call))) goto end;
  if (failed(tagflow_tensor_borrow(TAGFLOW_FLOAT, 0, NULL, &x, NULL, NULL, &feed))) goto end;
  {
    const tagflow_tensor* feeds[1];
    feeds[0] = feed;
    if (failed(tagflow_call_run(call, feeds, NULL, &result))) goto end;
  }
  printf("doubled: %g\n", *(const float*)tagflow_tensor_data(result));
  code = 0;

end:
  tagflow_tensor_free(result);
  tagflow_tensor_free(feed);
  tagflow_call_free(call);
  tagflow_session_free(session);
  tagflow_graph_free(graph);
  tagflow_library_free(library);
  return code;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s GRAPH\n", argv[0]);
    return 2;
  }
  return run_collatz(argv[1]) || run_own_op();
}
