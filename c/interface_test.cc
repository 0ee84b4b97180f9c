// Tests: errors.cc, tensors.cc, dlpack.cc, graphs.cc, sessions.cc, library.cc
//
// The C interface, from outside: through libtagflow.so.

#include <dlpack/dlpack.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "include/tagflow.h"

namespace {

constexpr char kAddOne[] = R"(
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'one' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
         attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
  node { name: 'y' op: 'AddV2' input: 'x' input: 'one'
         attr { key: 'T' value { type: DT_FLOAT } } }
  node { name: 'same' op: 'Identity' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } })";

// i = 1; while i > 0: i = i, for ever.
constexpr char kEndless[] = R"(
  node { name: 'x' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
         attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
  node { name: 'enter' op: 'Enter' input: 'x' attr { key: 'T' value { type: DT_INT32 } }
         attr { key: 'frame_name' value { s: 'loop' } } }
  node { name: 'merge' op: 'Merge' input: 'enter' input: 'next'
         attr { key: 'T' value { type: DT_INT32 } } attr { key: 'N' value { i: 2 } } }
  node { name: 'zero' op: 'ZerosLike' input: 'merge' attr { key: 'T' value { type: DT_INT32 } } }
  node { name: 'greater' op: 'Greater' input: 'merge' input: 'zero'
         attr { key: 'T' value { type: DT_INT32 } } }
  node { name: 'cond' op: 'LoopCond' input: 'greater' }
  node { name: 'switch' op: 'Switch' input: 'merge' input: 'cond'
         attr { key: 'T' value { type: DT_INT32 } } }
  node { name: 'next' op: 'NextIteration' input: 'switch:1'
         attr { key: 'T' value { type: DT_INT32 } } }
  node { name: 'exit' op: 'Exit' input: 'switch' attr { key: 'T' value { type: DT_INT32 } } })";

// The text of an error, which is freed; "" for none.
std::string Text(tagflow_error* error) {
  if (error == nullptr) return "";
  std::string text = tagflow_error_text(error);
  tagflow_error_free(error);
  return text;
}

struct Names {
  std::vector<const char*> feeds, fetches;
  tagflow_call_names get() const {
    tagflow_call_names names = TAGFLOW_INIT(tagflow_call_names);
    names.feeds = feeds.data();
    names.num_feeds = feeds.size();
    names.fetches = fetches.data();
    names.num_fetches = fetches.size();
    return names;
  }
};

// A call of a graph, with all that it needs.
class Call {
 public:
  Call(const std::string& text, const Names& names, const tagflow_library* library = nullptr) {
    tagflow_load_options options = TAGFLOW_INIT(tagflow_load_options);
    options.library = library;
    const tagflow_call_names call_names = names.get();
    EXPECT_EQ(Text(tagflow_graph_parse(text.data(), text.size(), &options, &graph_)), "");
    EXPECT_EQ(Text(tagflow_session_open(graph_, nullptr, &session_)), "");
    EXPECT_EQ(Text(tagflow_session_prepare(session_, &call_names, &call_)), "");
    // The call keeps what it needs of them.
    tagflow_session_free(session_);
    tagflow_graph_free(graph_);
  }
  ~Call() { tagflow_call_free(call_); }
  tagflow_error* Run(const std::vector<const tagflow_tensor*>& feeds, tagflow_tensor** results,
                     const tagflow_run_options* options = nullptr) const {
    return tagflow_call_run(call_, feeds.data(), options, results);
  }
  const tagflow_call* get() const { return call_; }

 private:
  tagflow_graph* graph_ = nullptr;
  tagflow_session* session_ = nullptr;
  tagflow_call* call_ = nullptr;
};

const float* Floats(const tagflow_tensor* tensor) {
  return static_cast<const float*>(tagflow_tensor_data(tensor));
}

tagflow_tensor* NewFloats(const std::vector<float>& values) {
  const int64_t size = static_cast<int64_t>(values.size());
  tagflow_tensor* tensor = nullptr;
  EXPECT_EQ(Text(tagflow_tensor_new(TAGFLOW_FLOAT, 1, &size, &tensor)), "");
  std::memcpy(tagflow_tensor_mutable_data(tensor), values.data(), values.size() * sizeof(float));
  return tensor;
}

TEST(InterfaceTest, RunsAGraph) {
  const Call call(kAddOne, {{"x"}, {"y"}});
  tagflow_tensor* const x = NewFloats({1, 2, 3});
  tagflow_tensor* y = nullptr;
  ASSERT_EQ(Text(call.Run({x}, &y)), "");
  EXPECT_EQ(tagflow_tensor_dtype(y), TAGFLOW_FLOAT);
  EXPECT_EQ(tagflow_tensor_rank(y), 1);
  EXPECT_EQ(tagflow_tensor_dims(y)[0], 3);
  EXPECT_EQ(Floats(y)[2], 4);
  EXPECT_NE(std::string(tagflow_call_about(call.get())).find("straight"), std::string::npos);
  tagflow_tensor_free(x);
  tagflow_tensor_free(y);
}

TEST(InterfaceTest, ErrorsSayWhatAndWhere) {
  tagflow_graph* graph = nullptr;
  tagflow_error* error = tagflow_graph_load("nowhere.pb", nullptr, &graph);
  EXPECT_EQ(tagflow_error_code(error), TAGFLOW_NOT_FOUND);
  EXPECT_NE(Text(error).find("nowhere.pb"), std::string::npos);
  const Call call(kAddOne, {{"x"}, {"y"}});
  const int64_t dims[] = {2};
  tagflow_tensor *ints = nullptr, *y = nullptr;
  ASSERT_EQ(Text(tagflow_tensor_new(TAGFLOW_INT32, 1, dims, &ints)), "");
  error = call.Run({ints}, &y);
  EXPECT_EQ(tagflow_error_code(error), TAGFLOW_INVALID_ARGUMENT);
  EXPECT_NE(Text(error).find("'x'"), std::string::npos);
  EXPECT_EQ(y, nullptr);
  tagflow_tensor_free(ints);
  error = tagflow_error_new(TAGFLOW_ABORTED, "mine");
  EXPECT_STREQ(tagflow_error_text(error), "ABORTED: mine");
  EXPECT_STREQ(tagflow_error_node(error), "");
  tagflow_error_free(error);
  tagflow_error_free(nullptr);
}

TEST(InterfaceTest, ANonsensicalTensorIsAnError) {
  tagflow_tensor* tensor = nullptr;
  const int64_t dims[] = {-1};
  EXPECT_NE(Text(tagflow_tensor_new(TAGFLOW_FLOAT, 1, dims, &tensor)), "");
  for (const int dtype : {0, 11, 24, 99, -1}) {
    EXPECT_NE(Text(tagflow_tensor_new(dtype, 0, nullptr, &tensor)), "") << dtype;
  }
  EXPECT_NE(
      Text(tagflow_tensor_borrow(TAGFLOW_STRING, 0, nullptr, dims, nullptr, nullptr, &tensor)), "");
}

TEST(InterfaceTest, StructsWithoutASizeAreRefusedAndShorterOnesAreOlder) {
  tagflow_graph* graph = nullptr;
  tagflow_load_options options = {};
  EXPECT_NE(Text(tagflow_graph_parse(kAddOne, std::strlen(kAddOne), &options, &graph)), "");
  options.size = sizeof(size_t);
  options.num_tags = 1000;  // a later version's, and so not read
  EXPECT_EQ(Text(tagflow_graph_parse(kAddOne, std::strlen(kAddOne), &options, &graph)), "");
  EXPECT_EQ(tagflow_graph_num_nodes(graph), 4u);
  tagflow_graph_free(graph);
}

TEST(InterfaceTest, BorrowedMemoryIsGivenBackAndStaysAsItIs) {
  const Call call(kAddOne, {{"x"}, {"y", "same"}});
  std::vector<float> memory(1000, 1);
  std::atomic<int> returned = 0;
  const int64_t dims[] = {1000};
  tagflow_tensor* x = nullptr;
  const auto release = [](void* count) { ++*static_cast<std::atomic<int>*>(count); };
  ASSERT_EQ(
      Text(tagflow_tensor_borrow(TAGFLOW_FLOAT, 1, dims, memory.data(), release, &returned, &x)),
      "");
  EXPECT_EQ(Floats(x), memory.data());
  EXPECT_EQ(tagflow_tensor_mutable_data(x), nullptr);
  tagflow_tensor* results[2] = {};
  ASSERT_EQ(Text(call.Run({x}, results)), "");
  EXPECT_EQ(Floats(results[0])[999], 2);
  EXPECT_EQ(memory[999], 1);
  tagflow_tensor_free(x);
  EXPECT_EQ(returned, 0) << "the second result is the feed";
  tagflow_tensor_free(results[1]);
  EXPECT_EQ(returned, 1);
  tagflow_tensor_free(results[0]);
}

TEST(InterfaceTest, WhatIsSharedCannotBeWritten) {
  tagflow_tensor* const mine = NewFloats({1, 2});
  EXPECT_NE(tagflow_tensor_mutable_data(mine), nullptr);
  tagflow_tensor* const shared = tagflow_tensor_share(mine);
  EXPECT_EQ(tagflow_tensor_mutable_data(mine), nullptr);
  tagflow_tensor_free(shared);
  EXPECT_NE(tagflow_tensor_mutable_data(mine), nullptr);
  tagflow_tensor_free(mine);
}

TEST(InterfaceTest, StringsAreBytes) {
  tagflow_tensor* words = nullptr;
  const int64_t dims[] = {2};
  size_t size = 0;
  ASSERT_EQ(Text(tagflow_tensor_new(TAGFLOW_STRING, 1, dims, &words)), "");
  EXPECT_EQ(Text(tagflow_tensor_set_string(words, 1, "a\0b", 3)), "");
  EXPECT_EQ(std::string(tagflow_tensor_string(words, 1, &size), 3), std::string("a\0b", 3));
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(tagflow_tensor_string(words, 2, &size), nullptr);
  EXPECT_EQ(tagflow_tensor_data(words), nullptr);
  EXPECT_NE(Text(tagflow_tensor_set_string(words, -1, "", 0)), "");
  tagflow_tensor_free(words);
}

// ---- DLPack ----

// Six floats of another library, as two rows of three or three of two.
struct Foreign {
  std::vector<float> elements = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {3, 1};
  int deleted = 0;
  DLManagedTensor managed = {};

  Foreign() {
    managed.dl_tensor = {elements.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
  }
};

TEST(InterfaceTest, ATensorOfAnotherLibraryIsReadWhereItLies) {
  Foreign foreign;
  tagflow_tensor* tensor = nullptr;
  ASSERT_EQ(Text(tagflow_tensor_from_dlpack(&foreign.managed, &tensor)), "");
  EXPECT_EQ(tagflow_tensor_data(tensor), foreign.elements.data());
  EXPECT_EQ(foreign.deleted, 0);
  tagflow_tensor_free(tensor);
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(InterfaceTest, OneInAnotherOrderIsCopied) {
  Foreign foreign;
  foreign.shape[0] = 3;
  foreign.shape[1] = 2;
  foreign.strides[0] = 1;
  foreign.strides[1] = 3;
  tagflow_tensor* tensor = nullptr;
  ASSERT_EQ(Text(tagflow_tensor_from_dlpack(&foreign.managed, &tensor)), "");
  EXPECT_EQ(foreign.deleted, 1);
  const std::vector<float> transposed = {0, 3, 1, 4, 2, 5};
  EXPECT_EQ(std::memcmp(tagflow_tensor_data(tensor), transposed.data(), 6 * sizeof(float)), 0);
  tagflow_tensor_free(tensor);
}

TEST(InterfaceTest, AnotherDeviceOrDTypeIsRefusedAndStaysItsOwners) {
  Foreign on_device;
  on_device.managed.dl_tensor.device = {kDLCUDA, 0};
  tagflow_tensor* tensor = nullptr;
  EXPECT_NE(Text(tagflow_tensor_from_dlpack(&on_device.managed, &tensor)).find("device"),
            std::string::npos);
  Foreign odd;
  odd.managed.dl_tensor.dtype = {kDLFloat, 32, 4};
  EXPECT_NE(Text(tagflow_tensor_from_dlpack(&odd.managed, &tensor)), "");
  EXPECT_EQ(on_device.deleted + odd.deleted, 0);
}

TEST(InterfaceTest, ATensorIsGivenToAnotherLibrary) {
  tagflow_tensor* const mine = NewFloats({1, 2, 3});
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(Text(tagflow_tensor_to_dlpack(mine, &managed)), "");
  EXPECT_EQ(managed->dl_tensor.data, tagflow_tensor_data(mine));
  EXPECT_EQ(managed->dl_tensor.shape[0], 3);
  tagflow_tensor_free(mine);
  EXPECT_EQ(static_cast<const float*>(managed->dl_tensor.data)[2], 3);
  managed->deleter(managed);
  tagflow_tensor* words = nullptr;
  ASSERT_EQ(Text(tagflow_tensor_new(TAGFLOW_STRING, 0, nullptr, &words)), "");
  EXPECT_NE(Text(tagflow_tensor_to_dlpack(words, &managed)), "");
  tagflow_tensor_free(words);
}

// ---- Limits and cancelling ----

TEST(InterfaceTest, StepsEnd) {
  const Call call(kEndless, {{}, {"exit"}});
  tagflow_tensor* result = nullptr;
  tagflow_run_options options = TAGFLOW_INIT(tagflow_run_options);
  options.timeout_s = 0.05;
  EXPECT_EQ(Text(call.Run({}, &result, &options)).substr(0, 17), "DEADLINE_EXCEEDED");
  options.timeout_s = 0;
  options.max_firings = 1000;
  EXPECT_EQ(Text(call.Run({}, &result, &options)).substr(0, 18), "RESOURCE_EXHAUSTED");
  options.max_firings = 0;
  ASSERT_EQ(Text(tagflow_canceller_new(&options.canceller)), "");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    tagflow_canceller_cancel(options.canceller);
  });
  EXPECT_EQ(Text(call.Run({}, &result, &options)).substr(0, 9), "CANCELLED");
  other.join();
  EXPECT_EQ(Text(call.Run({}, &result, &options)).substr(0, 9), "CANCELLED");
  tagflow_canceller_reset(options.canceller);
  options.max_firings = 1000;
  EXPECT_EQ(Text(call.Run({}, &result, &options)).substr(0, 18), "RESOURCE_EXHAUSTED");
  tagflow_canceller_free(options.canceller);
}

TEST(InterfaceTest, OptionsOfASessionAreChecked) {
  tagflow_graph* graph = nullptr;
  tagflow_session* session = nullptr;
  ASSERT_EQ(Text(tagflow_graph_parse(kAddOne, std::strlen(kAddOne), nullptr, &graph)), "");
  tagflow_session_options options = TAGFLOW_INIT(tagflow_session_options);
  options.executor = "quick";
  EXPECT_NE(Text(tagflow_session_open(graph, &options, &session)).find("tokens"),
            std::string::npos);
  options.executor = "tokens";
  options.threads = 2;
  options.passes = "all";
  EXPECT_EQ(Text(tagflow_session_open(graph, &options, &session)), "");
  tagflow_session_free(session);
  tagflow_graph_free(graph);
}

TEST(InterfaceTest, SignaturesOfASavedModelNameTensors) {
  tagflow_graph* graph = nullptr;
  ASSERT_EQ(Text(tagflow_graph_load("examples/keras_gru", nullptr, &graph)), "");
  const char *input = nullptr, *output = nullptr;
  EXPECT_EQ(Text(tagflow_graph_signature_input(graph, "serving_default", "tokens", &input)), "");
  EXPECT_EQ(Text(tagflow_graph_signature_output(graph, "serving_default", "output_0", &output)),
            "");
  EXPECT_NE(input, nullptr);
  EXPECT_NE(
      Text(tagflow_graph_signature_output(graph, "serving_default", "z", &output)).find("output_0"),
      std::string::npos);
  EXPECT_NE(
      Text(tagflow_graph_signature_input(graph, "nothing", "z", &output)).find("serving_default"),
      std::string::npos);
  tagflow_graph_free(graph);
}

// ---- Ops of one's own ----

// The tests' kernel does as `how` says; `released` counts the releases of its context.
struct Scale {
  int released = 0;
  enum { kWell, kFails, kForgets, kWrongDType } how = kWell;

  static tagflow_error* Run(void* context, tagflow_firing* firing) {
    const auto& self = *static_cast<Scale*>(context);
    if (self.how == kFails) return tagflow_error_new(TAGFLOW_OUT_OF_RANGE, "as it was told to");
    if (self.how == kForgets) return nullptr;
    int64_t by = 0;
    float plus = 0;
    EXPECT_EQ(Text(tagflow_firing_attr_int(firing, "by", &by)), "");
    EXPECT_EQ(Text(tagflow_firing_attr_float(firing, "plus", &plus)), "");
    EXPECT_NE(Text(tagflow_firing_attr_int(firing, "nothing", &by)), "");
    EXPECT_STREQ(tagflow_firing_node(firing), "y");
    EXPECT_EQ(tagflow_firing_num_inputs(firing), 1);
    EXPECT_EQ(tagflow_firing_input(firing, 1), nullptr);
    const tagflow_tensor* const x = tagflow_firing_input(firing, 0);
    tagflow_tensor* y = nullptr;
    const int dtype = self.how == kWrongDType ? TAGFLOW_INT32 : TAGFLOW_FLOAT;
    EXPECT_EQ(Text(tagflow_tensor_new(dtype, 1, tagflow_tensor_dims(x), &y)), "");
    if (self.how == kWell) {
      auto* const out = static_cast<float*>(tagflow_tensor_mutable_data(y));
      for (int64_t i = 0; i < tagflow_tensor_elements(x); ++i) {
        out[i] = Floats(x)[i] * static_cast<float>(by) + plus;
      }
    }
    EXPECT_NE(Text(tagflow_firing_set_output(firing, 1, tagflow_tensor_share(y))), "");
    return tagflow_firing_set_output(firing, 0, y);
  }
};

constexpr char kScaled[] = R"(
  node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
  node { name: 'y' op: 'Test>Scale' input: 'x' attr { key: 'by' value { i: 3 } } })";

tagflow_library* LibraryWith(Scale& scale) {
  static const char* const kSpecs[] = {"input x: float", "output y: float", "attr by: int",
                                       "attr plus: float = 0.5"};
  tagflow_library* library = nullptr;
  EXPECT_EQ(Text(tagflow_library_new(&library)), "");
  tagflow_op op = TAGFLOW_INIT(tagflow_op);
  op.name = "Test>Scale";
  op.specs = kSpecs;
  op.num_specs = 4;
  op.kernel = &Scale::Run;
  op.context = &scale;
  op.release = [](void* context) { ++static_cast<Scale*>(context)->released; };
  EXPECT_EQ(Text(tagflow_library_add_op(library, &op)), "");
  EXPECT_EQ(Text(tagflow_library_add_op(library, &op)).substr(0, 14), "ALREADY_EXISTS");
  return library;
}

TEST(InterfaceTest, AnOpOfOnesOwnRuns) {
  Scale scale;
  tagflow_library* const library = LibraryWith(scale);
  {
    const Call call(kScaled, {{"x"}, {"y"}}, library);
    tagflow_op late = TAGFLOW_INIT(tagflow_op);
    EXPECT_EQ(Text(tagflow_library_add_op(library, &late)).substr(0, 19), "FAILED_PRECONDITION");
    tagflow_library_free(library);
    tagflow_tensor* const x = NewFloats({1, 2});
    tagflow_tensor* y = nullptr;
    ASSERT_EQ(Text(call.Run({x}, &y)), "");
    EXPECT_EQ(Floats(y)[1], 6.5);
    tagflow_tensor_free(y);
    scale.how = Scale::kFails;
    const std::string text = Text(call.Run({x}, &y));
    EXPECT_NE(text.find("OUT_OF_RANGE: as it was told to"), std::string::npos) << text;
    EXPECT_NE(text.find("[node y]"), std::string::npos) << text;
    scale.how = Scale::kForgets;
    EXPECT_NE(Text(call.Run({x}, &y)).find("did not set output 0"), std::string::npos);
    scale.how = Scale::kWrongDType;
    EXPECT_NE(Text(call.Run({x}, &y)).find("of float, not of int32"), std::string::npos);
    tagflow_tensor_free(x);
    EXPECT_EQ(scale.released, 0);
  }
  EXPECT_EQ(scale.released, 1);
}

TEST(InterfaceTest, AnOpThatMakesNoSenseIsRefused) {
  tagflow_library* library = nullptr;
  ASSERT_EQ(Text(tagflow_library_new(&library)), "");
  static const char* const kSpecs[] = {"inputs x: float"};
  Scale scale;
  tagflow_op op = TAGFLOW_INIT(tagflow_op);
  EXPECT_NE(Text(tagflow_library_add_op(library, &op)), "");
  op.name = "Test>Odd";
  op.kernel = &Scale::Run;
  op.context = &scale;
  op.release = [](void* context) { ++static_cast<Scale*>(context)->released; };
  op.specs = kSpecs;
  op.num_specs = 1;
  EXPECT_NE(Text(tagflow_library_add_op(library, &op)).find("inputs x"), std::string::npos);
  tagflow_library_free(library);
  EXPECT_EQ(scale.released, 0);
}

}  // namespace
