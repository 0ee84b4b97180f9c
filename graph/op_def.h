#ifndef TAGFLOW_GRAPH_OP_DEF_H_
#define TAGFLOW_GRAPH_OP_DEF_H_

// What an op is, apart from how any engine computes it: its arguments, attrs, statefulness, type
// and shape inference, and one line of documentation. Both engines, the validator, the builder and
// docs/ops.md read it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/arg_role.h"
#include "graph/attr_value.h"
#include "graph/dtype.h"
#include "graph/rounding.h"
#include "graph/status.h"

namespace tagflow {

class ShapeContext;
using ShapeFunction = std::function<Status(ShapeContext&)>;

// One declared argument. Exactly one of dtype, type_attr, type_list_attr says its type;
// number_attr, if set, repeats it.
struct ArgDef {
  std::string name;
  DType dtype = DType::kInvalid;
  std::string type_attr;
  std::string type_list_attr;
  std::string number_attr;
  bool is_ref = false;
  ArgRole role = ArgRole::kData;
};

enum class AttrKind : uint8_t {
  kString,
  kInt,
  kFloat,
  kBool,
  kType,
  kShape,
  kTensor,
  kFunction,
  kListString,
  kListInt,
  kListFloat,
  kListBool,
  kListType,
  kListShape,
  kListTensor,
  kListFunction,
};

struct AttrDef {
  std::string name;
  AttrKind kind = AttrKind::kInt;
  std::optional<AttrValue> default_value;
  std::optional<int64_t> minimum;            // of an int, or of a list's length
  std::vector<DType> allowed_types;          // empty: any (of a type or list(type))
  std::vector<std::string> allowed_strings;  // empty: any
};

std::string AttrKindName(AttrKind kind);  // "int", "list(type)", …

// Whether `attr` may have this value: its kind, minimum and allowed types and strings. An empty
// list may be a value with nothing set, as the wire has it.
//   Errors: INVALID_ARGUMENT naming the attr, the value and what is allowed.
Status CheckAttr(const AttrDef& attr, const AttrValue& value);

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  std::string summary;       // one line of documentation
  bool is_stateful = false;  // never merged, cloned, folded or renamed by a pass
  // It has state, or is given a handle or a reference, and changes nothing that others can see.
  bool only_looks = false;
  bool is_commutative = false;
  bool allows_uninitialized_input = false;
  std::optional<Rounding> rounding;  // where the arguments do not tell (RoundingOf)
  ShapeFunction shape_function;      // null: every output has an unknown shape

  const AttrDef* FindAttr(std::string_view name) const;
};

// Declares an op in TensorFlow's own notation, so that its op documentation can be compared line by
// line:
//   OpDefBuilder("AddN").Input("inputs: N * T").Output("sum: T").Attr("N: int >= 1")
//       .Attr("T: {float, double}").Summary("…").Shape(…)
// "x: Ref(T)" declares a reference; "T: list(type) >= 1 = [DT_FLOAT]" shows the full attr form.
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string_view name);
  OpDefBuilder& Input(std::string_view spec, ArgRole role = ArgRole::kData);
  OpDefBuilder& Output(std::string_view spec, ArgRole role = ArgRole::kData);
  OpDefBuilder& Attr(std::string_view spec);
  OpDefBuilder& Summary(std::string_view line);
  OpDefBuilder& Stateful();
  OpDefBuilder& OnlyLooks();
  OpDefBuilder& Commutative();
  OpDefBuilder& AllowsUninitializedInput();
  OpDefBuilder& Rounds(Rounding rounding);
  OpDefBuilder& Shape(ShapeFunction function);
  // The definition; INVALID_ARGUMENT naming the op and the spec that cannot be read.
  Result<OpDef> Build() const;

 private:
  OpDef op_;
  Status error_;
  struct Arg {
    bool is_output;
    std::string spec;
    ArgRole role;
  };
  std::vector<Arg> args_;  // read in Build, when all attrs are known
};

// The ops known to a process. Built by explicit calls (RegisterStandardOps, then users' own), then
// read-only and shared between threads.
class OpRegistry {
 public:
  OpRegistry();
  OpRegistry(const OpRegistry&) = delete;
  OpRegistry& operator=(const OpRegistry&) = delete;
  ~OpRegistry();

  // ALREADY_EXISTS for a second op of the same name; the builder's own error otherwise.
  Status Register(const OpDefBuilder& builder);
  // Null when there is none. The pointer lives as long as the registry.
  const OpDef* Find(std::string_view name) const;
  std::vector<const OpDef*> All() const;  // by name

  // Every op of docs/ops.md, made on first use.
  static const OpRegistry& Standard();

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

// Registers every op Tagflow defines.
Status RegisterStandardOps(OpRegistry& registry);

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_OP_DEF_H_
