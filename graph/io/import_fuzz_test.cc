// Damaged graphs through import and validation: whatever the damage, the answer is a Graph or an
// error, never a crash, a hang or all of the memory. Meant for the asan and ubsan configurations
// too.
//
//   TAGFLOW_FUZZ_ROUNDS=1000000 ./bazelw test //graph/io:import_fuzz_test
//   --test_env=TAGFLOW_FUZZ_ROUNDS

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "graph/call.h"
#include "graph/io/export.h"
#include "graph/io/import.h"
#include "graph/io/parse.h"
#include "graph/io/random_graph_def.h"
#include "graph/validate.h"

namespace tagflow {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr const char* kLoop = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 0 } } } }
  node { name: "enter" op: "Enter" input: "zero" attr { key: "T" value { type: DT_INT32 } }
         attr { key: "frame_name" value { s: "loop" } }
         attr { key: "parallel_iterations" value { i: 10 } } }
  node { name: "merge" op: "Merge" input: "enter" input: "next"
         attr { key: "T" value { type: DT_INT32 } } attr { key: "N" value { i: 2 } } }
  node { name: "ten" op: "Const" input: "^merge" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 10 } } } }
  node { name: "less" op: "Less" input: "merge" input: "ten"
         attr { key: "T" value { type: DT_INT32 } } }
  node { name: "cond" op: "LoopCond" input: "less" }
  node { name: "switch" op: "Switch" input: "merge" input: "cond"
         attr { key: "T" value { type: DT_INT32 } } }
  node { name: "add" op: "AddV2" input: "switch:1" input: "switch:1"
         attr { key: "T" value { type: DT_INT32 } } }
  node { name: "next" op: "NextIteration" input: "add" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "exit" op: "Exit" input: "switch" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "list" op: "ConcatV2" input: "x" input: "x" input: "exit"
         attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "Tidx" value { type: DT_INT32 } } }
  node { name: "slice" op: "StridedSlice" input: "x" input: "zero" input: "zero" input: "zero"
         attr { key: "T" value { type: DT_FLOAT } } attr { key: "Index" value { type: DT_INT32 } }
         attr { key: "begin_mask" value { i: 1 } } attr { key: "_class" value { list { s: "loc:@x" } } } }
  versions { producer: 987 min_consumer: 12 })";

int Rounds() {
  const char* rounds = std::getenv("TAGFLOW_FUZZ_ROUNDS");
  return rounds == nullptr ? 3000 : std::atoi(rounds);
}

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void Bytes(std::string& bytes) {
    for (uint32_t k = 1 + Below(4); k > 0 && !bytes.empty(); --k) {
      const size_t place = Below(static_cast<uint32_t>(bytes.size()));
      switch (Below(5)) {
        case 0:
          bytes[place] = static_cast<char>(random_());
          break;
        case 1:
          bytes[place] = static_cast<char>(bytes[place] ^ (1 << Below(8)));
          break;
        case 2:
          bytes.erase(place, 1 + Below(8));
          break;
        case 3:
          bytes.insert(place, bytes.substr(Below(static_cast<uint32_t>(bytes.size())), Below(16)));
          break;
        default:
          bytes.resize(place);
      }
    }
  }

  // Changes one value somewhere in the message, to something extreme more often than not.
  void Field(Message& message, int depth = 0) {
    const Reflection* reflection = message.GetReflection();
    const auto* type = message.GetDescriptor();
    std::vector<const FieldDescriptor*> set;
    reflection->ListFields(message, &set);
    const bool descend = !set.empty() && depth < 12 && Below(8) != 0;
    const FieldDescriptor* field =
        descend ? set[Below(static_cast<uint32_t>(set.size()))]
                : type->field(static_cast<int>(Below(static_cast<uint32_t>(type->field_count()))));
    if (field->is_repeated()) return Repeated(message, field, depth);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (Below(10) == 0) return reflection->ClearField(&message, field);
      return Field(*reflection->MutableMessage(&message, field), depth + 1);
    }
    Set(message, field);
  }

 private:
  void Repeated(Message& message, const FieldDescriptor* field, int depth) {
    const Reflection* reflection = message.GetReflection();
    const int size = reflection->FieldSize(message, field);
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (size == 0 || Below(6) == 0) {
      if (is_message) {
        reflection->AddMessage(&message, field);
      } else {
        Add(message, field);
      }
    } else if (Below(8) == 0) {
      reflection->RemoveLast(&message, field);
    } else if (Below(8) == 0) {
      reflection->SwapElements(&message, field, 0, size - 1);
    } else if (is_message) {
      const int i = static_cast<int>(Below(static_cast<uint32_t>(size)));
      Field(*reflection->MutableRepeatedMessage(&message, field, i), depth + 1);
    } else {
      reflection->RemoveLast(&message, field);
      Add(message, field);
    }
  }

  int64_t Integer() {
    static constexpr int64_t kValues[] = {0,
                                          1,
                                          -1,
                                          2,
                                          100,
                                          1 << 20,
                                          std::numeric_limits<int32_t>::max(),
                                          std::numeric_limits<int32_t>::min(),
                                          int64_t{1} << 40,
                                          std::numeric_limits<int64_t>::max(),
                                          std::numeric_limits<int64_t>::min()};
    return Below(2) == 0 ? kValues[Below(11)] : static_cast<int64_t>(Below(130));
  }

  std::string Text() {
    static constexpr const char* kValues[] = {"",           "^",
                                              ":",          "x",
                                              "^x",         "x:1",
                                              "x:-1",       "merge:999999",
                                              "loop",       "switch",
                                              "T",          "N",
                                              "Enter",      "Switch",
                                              "Merge",      "Exit",
                                              "AddV2",      "Const",
                                              "dtype",      "value",
                                              "/a/b/c",     "shape",
                                              "next:0",     "Pack",
                                              "Shape",      "a b",
                                              "_",          "\xce\xb1",
                                              "%s%n",       "element_shape",
                                              "frame_name", "TensorListReserve"};
    return kValues[Below(32)];
  }

  void Set(Message& message, const FieldDescriptor* field) {
    const Reflection* r = message.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetInt32(&message, field, static_cast<int32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetInt64(&message, field, Integer());
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->SetUInt32(&message, field, static_cast<uint32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->SetUInt64(&message, field, static_cast<uint64_t>(Integer()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetFloat(&message, field, static_cast<float>(Integer()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetDouble(&message, field, static_cast<double>(Integer()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->SetBool(&message, field, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->SetEnumValue(&message, field, static_cast<int>(Integer()));
      default:
        return r->SetString(&message, field, Text());
    }
  }

  void Add(Message& message, const FieldDescriptor* field) {
    const Reflection* r = message.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->AddInt32(&message, field, static_cast<int32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->AddInt64(&message, field, Integer());
      case FieldDescriptor::CPPTYPE_UINT32:
        return r->AddUInt32(&message, field, static_cast<uint32_t>(Integer()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->AddUInt64(&message, field, static_cast<uint64_t>(Integer()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->AddFloat(&message, field, static_cast<float>(Integer()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->AddDouble(&message, field, static_cast<double>(Integer()));
      case FieldDescriptor::CPPTYPE_BOOL:
        return r->AddBool(&message, field, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return r->AddEnumValue(&message, field, static_cast<int>(Integer()));
      default:
        return r->AddString(&message, field, Text());
    }
  }

  std::mt19937 random_;
};

// Import, and all that a command does with a graph before running it. True if it loaded.
bool Swallow(const std::string& bytes) {
  ImportOptions options;
  options.tensor_bytes_max = 1 << 24;
  const Result<Graph> graph = ImportGraphFromBytes(bytes, options);
  if (!graph.ok()) {
    EXPECT_FALSE(graph.status().message().empty());
    return false;
  }
  for (const Status& status : ValidateGraph(*graph)) EXPECT_FALSE(status.ok());
  for (const std::string& fetch : {std::string("exit"), std::string("list"), std::string("add")}) {
    const Result<CallSpec> call = ResolveCall(*graph, {}, {fetch}, {});
    if (call.ok()) (void)ValidateCall(*graph, *call);
  }
  const Result<std::string> exported = ExportGraphToBytes(*graph);
  EXPECT_TRUE(exported.ok()) << exported.status().ToString();
  return true;
}

// Importing bytes takes a short cut past the parser (graph/io/wire_node.h): it must not show.
void ExpectSameByParser(const std::string& bytes) {
  if (LooksLikeText(bytes)) return;
  ImportOptions options;
  options.tensor_bytes_max = 1 << 24;
  const Result<Graph> graph = ImportGraphFromBytes(bytes, options);
  GraphDef def;
  const bool parsed = ParseBinary(bytes, "bytes", def).ok();
  const Result<Graph> by_parser = ImportGraph(def, options);
  ASSERT_EQ(graph.ok(), parsed && by_parser.ok()) << graph.status().ToString();
  if (!graph.ok()) return;
  EXPECT_EQ(*ExportGraphToBytes(*graph), *ExportGraphToBytes(*by_parser));
}

std::vector<GraphDef> Samples() {
  std::vector<GraphDef> samples(1);
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kLoop, &samples[0]));
  for (uint32_t seed = 1; seed <= 5; ++seed) samples.push_back(RandomGraphDef(seed));
  return samples;
}

TEST(ImportFuzz, SamplesLoadUndamaged) {
  for (const GraphDef& sample : Samples()) {
    EXPECT_TRUE(Swallow(sample.SerializeAsString()));
    EXPECT_TRUE(Swallow(ToText(sample)));
  }
}

TEST(ImportFuzz, DamagedBytes) {
  const std::vector<GraphDef> samples = Samples();
  Mutator mutator(1);
  for (int round = 0; round < Rounds(); ++round) {
    std::string bytes = samples[static_cast<size_t>(round) % samples.size()].SerializeAsString();
    mutator.Bytes(bytes);
    Swallow(bytes);
    ExpectSameByParser(bytes);
  }
}

TEST(ImportFuzz, DamagedText) {
  const std::vector<GraphDef> samples = Samples();
  Mutator mutator(2);
  for (int round = 0; round < Rounds() / 4; ++round) {
    std::string text = ToText(samples[static_cast<size_t>(round) % samples.size()]);
    mutator.Bytes(text);
    Swallow(text);
  }
}

TEST(ImportFuzz, DamagedFields) {
  const std::vector<GraphDef> samples = Samples();
  Mutator mutator(3);
  int loaded = 0;
  for (int round = 0; round < Rounds(); ++round) {
    GraphDef def = samples[static_cast<size_t>(round) % samples.size()];
    for (uint32_t k = 1 + mutator.Below(3); k > 0; --k) mutator.Field(def);
    loaded += Swallow(def.SerializeAsString());
    ExpectSameByParser(def.SerializeAsString());
  }
  // Else the damage would be too great to reach the validator.
  EXPECT_GT(loaded, Rounds() / 10);
}

}  // namespace
}  // namespace tagflow
