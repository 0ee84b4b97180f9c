#include "graph/io/random_graph_def.h"

#include <random>
#include <string>

#include "graph/io/tensor_proto.h"
#include "graph/tensor.h"

namespace tagflow {
namespace {

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed) {}

  GraphDef Make() {
    GraphDef def;
    const int nodes = 1 + Below(12);
    for (int i = 0; i < nodes; ++i) Node(i, nodes, *def.add_node());
    if (Below(2) == 0) {
      def.mutable_versions()->set_producer(1 + Below(3000));
      def.mutable_versions()->set_min_consumer(Below(100));
      if (Below(2) == 0) def.mutable_versions()->add_bad_consumers(5);
    }
    for (int i = Below(3); i > 0; --i) Function(i, *def.mutable_library()->add_function());
    return def;
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  static std::string Name(int i) { return "scope/node_" + std::to_string(i); }

  void Node(int i, int nodes, NodeDef& node) {
    static constexpr const char* kOps[] = {"AddV2", "Merge", "Enter",      "NextIteration",
                                           "Const", "NoOp",  "NotDefined", "Switch"};
    node.set_name(Name(i));
    node.set_op(kOps[Below(8)]);
    for (int k = Below(4); k > 0; --k) {
      const int output = Below(3);
      node.add_input(Name(Below(nodes)) + (output == 0 ? "" : ":" + std::to_string(output)));
    }
    for (int k = Below(2); k > 0; --k) node.add_input("^" + Name(Below(nodes)));
    if (Below(3) == 0) node.set_device("/job:worker/task:1/device:CPU:0");
    for (int k = Below(4); k > 0; --k) Attr((*node.mutable_attr())["a" + std::to_string(k)], 0);
    if (Below(4) == 0) node.mutable_experimental_type()->set_type_id(TFT_PRODUCT);
  }

  void Attr(AttrValueProto& attr, int depth) {
    switch (Below(depth > 3 ? 9 : 11)) {
      case 0:
        return attr.set_i(static_cast<int64_t>(random_()) - 5);
      case 1:
        return attr.set_f(static_cast<float>(Below(100)) / 8);
      case 2:
        return attr.set_b(Below(2) == 0);
      case 3:
        return attr.set_type(Type());
      case 4:
        return attr.set_s(
            std::string(static_cast<size_t>(Below(30)), static_cast<char>(Below(256))));
      case 5:
        return Shape(*attr.mutable_shape());
      case 6:
        return Value(*attr.mutable_tensor());
      case 7:
        return attr.set_placeholder("T");
      case 8:
        return;  // nothing set
      case 9:
        return List(*attr.mutable_list(), depth);
      default:
        return Function(*attr.mutable_func(), depth);
    }
  }

  DataType Type() {
    static constexpr DataType kTypes[] = {DT_FLOAT,   DT_INT32,    DT_STRING_REF,
                                          DT_INVALID, DT_BFLOAT16, DT_QINT8,
                                          DT_INT4,    DT_VARIANT,  DT_FLOAT8_E5M2};
    return kTypes[Below(9)];
  }

  void Shape(TensorShapeProto& shape) {
    if (Below(4) == 0) return shape.set_unknown_rank(true);
    for (int k = Below(4); k > 0; --k) shape.add_dim()->set_size(Below(5) - 1);
  }

  void Value(TensorProto& proto) {
    static constexpr DType kTypes[] = {DType::kFloat, DType::kInt8,  DType::kBool,
                                       DType::kHalf,  DType::kInt64, DType::kComplex64,
                                       DType::kString};
    Dims dims;
    for (int k = Below(3); k > 0; --k) dims.push_back(Below(4));
    Tensor tensor = *Tensor::Allocate(kTypes[Below(7)], dims);
    if (tensor.dtype() == DType::kString) {
      for (std::string& text : tensor.mutable_flat<std::string>()) text = std::to_string(Below(9));
    } else {
      auto* bytes = static_cast<unsigned char*>(tensor.mutable_raw_data());
      // 0 or 1, so that every byte is a bool, and no NaN (of which text keeps less than all bits).
      for (size_t i = 0; i < tensor.byte_size(); ++i)
        bytes[i] = static_cast<unsigned char>(Below(2));
    }
    const Status status = TensorToProto(tensor, TensorForm::kCompact, proto);
    TAGFLOW_CHECK(status.ok());
  }

  void List(AttrValueProto::ListValue& list, int depth) {
    for (int k = Below(3); k > 0; --k) {
      switch (Below(7)) {
        case 0:
          list.add_i(Below(9));
          break;
        case 1:
          list.add_s("s");
          break;
        case 2:
          list.add_type(Type());
          break;
        case 3:
          Shape(*list.add_shape());
          break;
        case 4:
          Value(*list.add_tensor());
          break;
        case 5:
          list.add_b(true);
          break;
        default:
          Function(*list.add_func(), depth);
      }
    }
  }

  void Function(NameAttrListProto& function, int depth) {
    function.set_name("f");
    for (int k = Below(3); k > 0; --k) {
      Attr((*function.mutable_attr())["b" + std::to_string(k)], depth + 1);
    }
  }

  void Function(int i, FunctionDefProto& function) {
    function.mutable_signature()->set_name("function_" + std::to_string(i));
    (*function.mutable_attr())["noinline"].set_b(true);
    function.add_node_def()->set_name("inner");
    (*function.mutable_ret())["out"] = "inner:0";
  }

  std::mt19937 random_;
};

}  // namespace

GraphDef RandomGraphDef(uint32_t seed) { return Maker(seed).Make(); }

}  // namespace tagflow
