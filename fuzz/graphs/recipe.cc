// Text becomes nodes in two steps: RecipeText draws the choices of a statement, NodeAdder makes
// nodes of it.
//
// Tested by recipe_test.cc.

#include "fuzz/graphs/recipe.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "fuzz/graphs/message.h"

namespace tagflow::fuzz {
namespace {

const std::string kPrefix = "added";  // of the names of nodes

constexpr std::string_view kLoop = R"(
  count = Merge(Enter[frame_name=f](0@$w), more)
  cond = LoopCond(Less(count, Enter[frame_name=f is_constant=true]($n@$w)))
  trip = Switch(count, cond)
  body = Identity(trip:1)
  more = NextIteration(AddV2(trip:1, 1@body))
  done = trip:0
)";

constexpr std::string_view kCounter = R"(
  handle = VarHandleOp[dtype=int32 shape=scalar shared_name=v]()
  there = VarIsInitializedOp(handle)
  is = Switch(there, there)
  missing = Identity(is:0)
  first = AssignVariableOp(handle, 0@missing)
  held = ReadVariableOp[dtype=int32](handle, ^Merge(Identity(is:0, ^first), is:1))
  tell held
  before = Brought(held)
  counter = Brought(handle)
)";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

// At the separators that are in no braces, brackets or parentheses.
std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (std::string_view("{[(").find(text[i]) != std::string_view::npos) ++depth;
    if (std::string_view("}])").find(text[i]) != std::string_view::npos) --depth;
    if (depth != 0 || separators.find(text[i]) == std::string_view::npos) continue;
    parts.push_back(Trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(Trim(text.substr(begin)));
  return parts;
}

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The place of the brace that closes the one at `open`; npos: there is none.
size_t Closing(std::string_view text, size_t open, char opens, char closes) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == opens) ++depth;
    if (text[i] == closes && --depth == 0) return i;
  }
  return std::string_view::npos;
}

Status Wrong(std::string_view text, const std::string& why) {
  return InvalidArgument("recipe '" + std::string(text) + "': " + why);
}

AttrValue ShapeOf(std::string_view text) {
  return text == "scalar" ? PartialShape::Scalar() : PartialShape();
}

// Makes nodes of expressions whose choices are drawn.
class NodeAdder {
 public:
  NodeAdder(RecipeSite& site, Choices& choices)
      : site_(site),
        choices_(choices),
        graph_(site.graph()),
        suffix_("." + std::to_string(graph_.id_limit())) {
    names_.emplace("x", site.input());
  }

  Result<OutputRef> Expression(std::string_view text) {
    text = Trim(text);
    if (text.empty()) return Wrong(text, "an expression is missing");
    if (IsLiteral(text)) return Literal(text);
    const size_t close = text.rfind(')');
    const bool is_call = close != std::string_view::npos;
    const size_t colon = text.find(':', is_call ? close : 0);
    const std::optional<int> port =
        colon == std::string_view::npos ? 0 : Number(text.substr(colon + 1));
    if (!port) return Wrong(text, "an output has a number");
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef found, is_call ? Call(text.substr(0, close + 1))
                                                            : Named(text.substr(0, colon)));
    return port == 0 ? found : OutputRef{found.node, *port};
  }

  void Define(const std::string& name, OutputRef value) {
    names_[name] = value;
    std::erase_if(pending_, [&](const Pending& pending) {
      if (pending.name != name) return false;
      graph_.mutable_node(pending.node).inputs[pending.slot] = value;
      return true;
    });
  }

  // Nothing where all names that were used have been given.
  std::optional<std::string> Missing() const {
    return pending_.empty() ? std::nullopt : std::optional(pending_[0].name);
  }

 private:
  struct Pending {
    std::string name;
    NodeId node;
    size_t slot;
  };

  Result<OutputRef> Named(std::string_view name) {
    const auto found = names_.find(std::string(name));
    if (found != names_.end()) return found->second;
    if (name == "earlier") return OutputRef{site_.AnyNode(), 0};  // another each time
    static const std::set<std::string_view> kDrawn = {"p", "q", "n", "other", "invariant", "merge"};
    if (!kDrawn.contains(name)) return Wrong(name, "no such name");
    const std::optional<OutputRef> drawn = site_.Named(name);
    if (!drawn) return NotFound("no '" + std::string(name) + "' at this site");
    names_.emplace(name, *drawn);
    return *drawn;
  }

  static bool IsLiteral(std::string_view text) {
    const std::string_view value = text.substr(0, text.find('@'));
    return value == "true" || value == "false" || value.front() == '<' || Number(value);
  }

  Result<OutputRef> Literal(std::string_view text) {
    const size_t at = text.find('@');
    const std::string_view value = text.substr(0, at);
    const bool is_bool = value == "true" || value == "false";
    const NodeId id = New("Const");
    graph_.SetAttr(id, "dtype", is_bool ? DType::kBool : DType::kInt32);
    if (value.front() == '<') {
      std::vector<int32_t> numbers;
      for (const std::string_view word : Split(value.substr(1, value.size() - 2), " ")) {
        if (word.empty()) continue;
        const std::optional<int> number = Number(word);
        if (!number) return Wrong(text, "a vector has numbers");
        numbers.push_back(*number);
      }
      graph_.SetAttr(id, "value", Tensor::Vector<int32_t>(numbers));
    } else if (is_bool) {
      graph_.SetAttr(id, "value", Tensor::Scalar<bool>(value == "true"));
    } else {
      graph_.SetAttr(id, "value", Tensor::Scalar<int32_t>(*Number(value)));
    }
    if (at != std::string_view::npos && at + 1 == text.size()) return OutputRef{id, 0};
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef anchor,
                             Named(at == std::string_view::npos ? "x" : text.substr(at + 1)));
    graph_.mutable_node(id).control_inputs = {anchor.node};
    return OutputRef{id, 0};
  }

  // Op*times[attrs](inputs)
  Result<OutputRef> Call(std::string_view text) {
    const size_t op_end = text.find_first_of("*[(");
    const std::string op(text.substr(0, op_end));
    const size_t open = text.find_first_of("[(", op_end);
    const std::optional<int> times =
        text[op_end] == '*' ? Number(text.substr(op_end + 1, open - op_end - 1)) : 1;
    const size_t close = text[open] == '[' ? text.find(']', open) : open - 1;
    if (!times || close == std::string_view::npos || text[close + 1] != '(') {
      return Wrong(text, "it has the form Op*times[attrs](inputs)");
    }
    const std::string_view attrs =
        text[open] == '[' ? text.substr(open + 1, close - open - 1) : std::string_view();
    const std::string_view inputs = text.substr(close + 2, text.size() - close - 3);
    if (*times == 0) return Expression(inputs);
    TAGFLOW_ASSIGN_OR_RETURN(OutputRef made, Node(op, attrs, inputs));
    for (int i = 1; i < *times; ++i) {
      TAGFLOW_ASSIGN_OR_RETURN(const NodeId next, Make(OpFor(op, made), {made}, attrs));
      made = {next, 0};
    }
    return made;
  }

  Result<OutputRef> Node(const std::string& op, std::string_view attrs, std::string_view inputs) {
    std::vector<OutputRef> values;
    std::vector<NodeId> controls;
    std::vector<std::pair<std::string, size_t>> later;  // names and slots
    for (const std::string_view input : Split(inputs, ",")) {
      if (input.empty()) continue;
      const bool is_control = input.front() == '^';
      const std::string_view wanted = is_control ? input.substr(1) : input;
      const Result<OutputRef> value = Expression(wanted);
      const bool is_name =
          std::ranges::all_of(wanted, [](unsigned char c) { return std::isalnum(c) != 0; });
      if (!value.ok() && (is_control || !is_name || value.status().code() == Code::kNotFound)) {
        return value.status();
      }
      if (is_control) {
        controls.push_back(value->node);
        continue;
      }
      if (!value.ok()) later.emplace_back(wanted, values.size());
      values.push_back(value.ok() ? *value : OutputRef());
    }
    if (op == "Brought") return Brought(values);
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId id,
                             Make(values.empty() ? op : OpFor(op, values[0]), values, attrs));
    graph_.mutable_node(id).control_inputs = controls;
    for (const auto& [name, slot] : later) pending_.push_back({name, id, slot});
    return OutputRef{id, 0};
  }

  Result<OutputRef> Brought(const std::vector<OutputRef>& values) {
    const std::optional<OutputRef> brought = site_.Brought(values.at(0));
    if (!brought) return NotFound("no way into the frame of the site");
    return *brought;
  }

  // An op that makes another value of the input's type, as a rule.
  std::string OpFor(const std::string& op, OutputRef input) {
    if (op != "Changed") return op;
    const std::optional<ArgType> type = TypeOf(graph_, input);
    if (type && type->dtype == DType::kBool) return "LogicalNot";
    static const std::vector<std::string> kChanges = {"Neg", "Abs", "Neg", "Identity"};
    return type && type->dtype == DType::kString ? "Identity" : choices_.Of(kChanges);
  }

  NodeId New(const std::string& op) {
    const Result<NodeId> id = graph_.AddNode(graph_.UniqueName(kPrefix + op), op);
    TAGFLOW_CHECK(id.ok());
    return *id;
  }

  Result<NodeId> Make(const std::string& op, const std::vector<OutputRef>& inputs,
                      std::string_view attrs) {
    if (OpRegistry::Standard().Find(op) == nullptr) return Wrong(op, "no such op");
    const NodeId id = New(op);
    graph_.mutable_node(id).inputs = inputs;
    InferAttrs(id, inputs);
    if (graph_.node(id).def->FindAttr("parallel_iterations") != nullptr) {
      static const std::vector<int64_t> kParallel = {1, 2, 10, 3};
      graph_.SetAttr(id, "parallel_iterations", choices_.Of(kParallel));
    }
    for (const std::string_view attr : Split(attrs, " ")) {
      if (attr.empty()) continue;
      if (Status status = SetAttr(id, attr); !status.ok()) return status;
    }
    return id;
  }

  // Types and numbers that follow from the inputs, of which at most one argument is a list.
  void InferAttrs(NodeId id, const std::vector<OutputRef>& inputs) {
    const OpDef& def = *graph_.node(id).def;
    const size_t listed = inputs.size() + 1 - std::min(def.inputs.size(), inputs.size() + 1);
    size_t at = 0;
    for (const ArgDef& arg : def.inputs) {
      const bool is_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
      AttrList types;
      for (size_t end = at + (is_list ? listed : 1); at < std::min(end, inputs.size()); ++at) {
        const std::optional<ArgType> type =
            inputs[at].node == NodeId::kNone ? std::nullopt : TypeOf(graph_, inputs[at]);
        if (type) types.types.push_back({type->dtype, false});
      }
      if (!types.types.empty() && !arg.type_attr.empty()) {
        graph_.SetAttr(id, arg.type_attr, types.types[0].dtype);
      }
      if (!arg.number_attr.empty()) {
        graph_.SetAttr(id, arg.number_attr, static_cast<int64_t>(listed));
      }
      if (!arg.type_list_attr.empty()) graph_.SetAttr(id, arg.type_list_attr, types);
    }
  }

  Status SetAttr(NodeId id, std::string_view text) {
    const size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    const AttrDef* const def = graph_.node(id).def->FindAttr(name);
    if (equals == std::string_view::npos || def == nullptr) return Wrong(text, "no such attr");
    const std::string_view value = text.substr(equals + 1);
    if (name == "tensor_name") {
      SetMessage(graph_, id, {Own(value)});
      return Status();
    }
    const std::optional<int> number = Number(value);
    const std::optional<DType> type =
        value == "x" ? TypeOf(graph_, site_.input())->dtype : DTypeFromName(value);
    if (def->kind == AttrKind::kString) {
      graph_.SetAttr(id, name, Own(value));
    } else if (def->kind == AttrKind::kShape) {
      graph_.SetAttr(id, name, ShapeOf(value));
    } else if (def->kind == AttrKind::kBool) {
      graph_.SetAttr(id, name, value == "true");
    } else if (def->kind == AttrKind::kType && type) {
      graph_.SetAttr(id, name, *type);
    } else if (def->kind == AttrKind::kInt && number) {
      graph_.SetAttr(id, name, *number);
    } else {
      return Wrong(text, "no " + AttrKindName(def->kind));
    }
    return Status();
  }
  std::string Own(std::string_view name) const {
    return name.front() == '\'' ? std::string(name.substr(1)) : std::string(name) + suffix_;
  }

  RecipeSite& site_;
  Choices& choices_;
  Graph& graph_;
  const std::string suffix_;  // of this fragment's own names
  std::map<std::string, OutputRef> names_;
  std::vector<Pending> pending_;
};

// Draws the choices of a text, a statement after the other.
class RecipeText {
 public:
  RecipeText(RecipeSite& site, Choices& choices) : choices_(choices), nodes_(site, choices) {
    added_.end = site.input();
  }

  Result<Added> Add(std::string_view text) {
    TAGFLOW_RETURN_IF_ERROR(Statements(text));
    if (const std::optional<std::string> name = nodes_.Missing()) {
      return Wrong(*name, "it is used and never given");
    }
    return added_;
  }

 private:
  Status Statements(std::string_view text) {
    for (const std::string_view line : Split(text, "\n")) {
      if (!line.empty()) TAGFLOW_RETURN_IF_ERROR(Line(line));
    }
    return Status();
  }

  Status Line(std::string_view line) {
    if (line.starts_with("repeat ")) return Repeat(line);
    TAGFLOW_ASSIGN_OR_RETURN(const std::string drawn, Drawn(line));
    for (const std::string_view statement : Split(drawn, "\n;")) {
      if (!statement.empty()) TAGFLOW_RETURN_IF_ERROR(One(statement));
    }
    return Status();
  }

  Status Repeat(std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Wrong(line, "repeat N: statements");
    constexpr std::string_view kWord = "repeat ";
    TAGFLOW_ASSIGN_OR_RETURN(const std::string count,
                             Drawn(Substituted(line.substr(kWord.size(), colon - kWord.size()))));
    const std::optional<int> times = Number(Trim(count));
    if (!times) return Wrong(line, "repeat N: statements");
    for (int i = 0; i < *times; ++i) {
      letters_['#'] = std::to_string(i);
      TAGFLOW_RETURN_IF_ERROR(Line(line.substr(colon + 1)));
    }
    return Status();
  }

  Status One(std::string_view drawn) {
    if (drawn.front() == '$') return SetLetters(drawn);
    const std::string text = Substituted(drawn);
    const std::string_view statement = text;
    const size_t space = statement.find(' ');
    const std::string_view word = statement.substr(0, space);
    if (word == "loop") {
      const std::vector<std::string_view> words = Split(statement, " ");
      letters_['n'] = words.at(1);
      letters_['w'] = words.size() > 2 ? words[2] : "x";
      return Statements(kLoop);
    }
    if (statement == "counter") return Statements(kCounter);
    static const std::set<std::string_view> kAsks = {"fetch", "feed", "tell", "target"};
    const bool asks = kAsks.contains(word);
    const size_t equals = Split(statement, "=")[0].size();
    const bool names = !asks && equals < statement.size();
    std::string_view expression = asks ? statement.substr(space) : statement;
    if (names) expression = statement.substr(statement.find('=') + 1);
    TAGFLOW_ASSIGN_OR_RETURN(const OutputRef value, nodes_.Expression(expression));
    if (word == "fetch") added_.fetches.push_back(value);
    if (word == "feed") added_.feeds.push_back(value);
    if (word == "tell") added_.tells.push_back(value);
    if (word == "target") added_.targets.push_back(value.node);
    if (names) nodes_.Define(std::string(word), value);
    if (names && word == "y") added_.end = value;
    return Status();
  }

  // $a $b = first second
  Status SetLetters(std::string_view statement) {
    const std::vector<std::string_view> sides = Split(statement, "=");
    if (sides.size() != 2) return Wrong(statement, "letters are given words");
    const std::vector<std::string_view> letters = Split(sides[0], " ");
    const std::string given = Substituted(sides[1]);
    const std::vector<std::string_view> words = Split(given, " ");
    if (letters.size() != words.size()) return Wrong(statement, "as many letters as words");
    for (size_t i = 0; i < letters.size(); ++i) letters_[letters[i].back()] = words[i];
    return Status();
  }

  std::string Substituted(std::string_view text) const {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool is_letter = text[i] == '$' && i + 1 < text.size();
      const auto found = letters_.find(is_letter ? text[i + 1] : text[i]);
      const bool is_known = found != letters_.end() && (is_letter || text[i] == '#');
      if (!is_known) result += text[i];
      if (is_known) result += found->second;
      if (is_known && is_letter) ++i;
    }
    return result;
  }

  Result<std::string> Drawn(std::string_view text) {
    const size_t open = text.find('{');
    if (open == std::string_view::npos) return std::string(text);
    const size_t close = Closing(text, open, '{', '}');
    if (close == std::string_view::npos) return Wrong(text, "a brace is not closed");
    TAGFLOW_ASSIGN_OR_RETURN(const std::string chosen,
                             Drawn(Chosen(text.substr(open + 1, close - open - 1))));
    TAGFLOW_ASSIGN_OR_RETURN(const std::string rest, Drawn(text.substr(close + 1)));
    return std::string(text.substr(0, open)) + chosen + rest;
  }

  std::string Chosen(std::string_view choice) {
    if (choice.starts_with('~')) {
      return choices_.Chance(kSeldom) ? std::string(choice.substr(1)) : "";
    }
    const size_t dots = choice.find("..");
    const std::optional<int> least =
        dots == std::string_view::npos ? std::nullopt : Number(choice.substr(0, dots));
    const std::optional<int> most = least ? Number(choice.substr(dots + 2)) : std::nullopt;
    if (most) return std::to_string(choices_.Between(*least, *most));
    return std::string(choices_.Of(Split(choice, "|")));
  }

  Choices& choices_;
  NodeAdder nodes_;
  Added added_;
  std::map<char, std::string> letters_;
};

}  // namespace

const std::vector<Recipe>& Recipes() {
  static const std::vector<Recipe> kAll = [] {
    std::vector<Recipe> all;
    for (const auto part : {BranchRecipes(), FrameRecipes(), ValueRecipes(), StateRecipes()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kAll;
}

std::optional<ArgType> TypeOf(const Graph& graph, OutputRef output) {
  const Result<Signature> signature = ResolveSignature(graph.node(output.node));
  const auto port = static_cast<size_t>(output.index);
  if (!signature.ok() || port >= signature->outputs.size()) return std::nullopt;
  return signature->outputs[port];
}

bool Fits(const Recipe& recipe, DType type, bool is_in_root) {
  switch (recipe.needs) {
    case Needs::kAnything:
      return true;
    case Needs::kNumber:
      return type != DType::kBool && type != DType::kString;
    case Needs::kInt32:
      return type == DType::kInt32;
    case Needs::kFloat:
      return type == DType::kFloat;
    case Needs::kFloating:
      return type == DType::kFloat || type == DType::kDouble;
    case Needs::kRootInt32:
    case Needs::kForcedFeed:
      return type == DType::kInt32 && is_in_root;
  }
  return false;
}

std::vector<std::string> OpsOf(std::string_view text) {
  std::vector<std::string> ops;
  std::string word;
  for (const char c : std::string(text)) {
    const bool is_of_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (is_of_word) {
      word += c;
      continue;
    }
    if (OpRegistry::Standard().Find(word) != nullptr) ops.push_back(word);
    word.clear();
  }
  return ops;
}

bool KeepsState(const Recipe& recipe) {
  return recipe.text.find("shared_name") != std::string_view::npos ||
         recipe.text.find("counter\n") != std::string_view::npos ||
         recipe.text.find("RandomUniformInt") != std::string_view::npos;
}

Result<Added> AddRecipe(std::string_view text, RecipeSite& site, Choices& choices) {
  Graph& graph = site.graph();
  const size_t first = graph.id_limit();
  Result<Added> added = RecipeText(site, choices).Add(text);
  if (added.ok()) return added;
  std::vector<NodeId> half;
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (Index(id) >= first && node.name.starts_with(kPrefix)) half.push_back(id);
  }
  for (const NodeId id : half) {
    graph.mutable_node(id).inputs.clear();
    graph.mutable_node(id).control_inputs.clear();
  }
  for (const NodeId id : half) graph.RemoveNode(id);
  return added;
}

}  // namespace tagflow::fuzz
