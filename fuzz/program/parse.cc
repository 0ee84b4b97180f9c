// Reads what text.cc writes.
//
//   program:   ["runs" N] {"variable" NAME ":" type "=" literal}
//              {"input" NAME ":" type "=" literal {";" literal}} block
//   block:     {statement} ["return" names]
//   statement: [binders "="] OP [literal] ["(" names ")"] [VARIABLE] ["[" numbers "]"]
//              [loop] ["after" names] ["{" {heading ":" block} "}"]
//   heading:   ("then" | "else" | "branch" | "test" | "body") ["(" binders ")"]
//   binders:   NAME ":" type {"," NAME ":" type}
//   type:      ["array" "of" | "stack" "of"] DTYPE ["[" dims "]"], a dim a number or "?"
//   literal:   [type] elements, nested in brackets as the type says; it may be left out where the
//              type of what is bound says all
//   loop:      "from" N "step" N COMPARE "most" N ["maximum" N] ["parallel" N] ["no_back_prop"]
//              ["swap_memory"] ["bound_inside"]

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>

#include "fuzz/program/fault.h"
#include "fuzz/program/lexer.h"
#include "fuzz/program/literal_text.h"
#include "fuzz/program/result_types.h"
#include "fuzz/program/statement_text.h"
#include "fuzz/program/text.h"
#include "fuzz/program/walk.h"

namespace tagflow::fuzz {
namespace {

// Text may be anything; whoever nests deeper than this is no program.
constexpr int kMaxNesting = 64;
constexpr int kMaxRuns = 1000;

// Reads the words that statements are made of.
class WordParser {
 protected:
  explicit WordParser(std::string_view text) : lexer_(text) {}

  const Token& token() const { return lexer_.token(); }
  bool At(std::string_view word) const { return token().text == word; }
  bool Take(std::string_view word) {
    if (!At(word)) return false;
    lexer_.Advance();
    return true;
  }

  static Status ErrorAt(const Token& place, const std::string& what) {
    return InvalidArgument("line " + std::to_string(place.line) + ", column " +
                           std::to_string(place.column) + ": " + what);
  }
  Status Unexpected(const std::string& wanted) const {
    const bool end = token().kind == Token::Kind::kEnd;
    const std::string text(token().text.substr(0, 40));
    return ErrorAt(token(), "expected " + wanted + ", not " + (end ? "the end" : "'" + text + "'"));
  }
  Status Expect(std::string_view word) {
    if (Take(word)) return Status();
    return Unexpected("'" + std::string(word) + "'");
  }

  Result<std::string> ParseName() {
    static constexpr std::string_view kReserved[] = {
        "then", "else", "branch", "test", "body", "return", "after", "runs", "variable", "input"};
    if (token().kind != Token::Kind::kName || std::ranges::count(kReserved, token().text) > 0) {
      return Unexpected("a name");
    }
    std::string name(token().text);
    lexer_.Advance();
    return name;
  }

  Result<int64_t> ParseInteger() {
    const auto number = IntegerOfText(token().text);
    if (!number) return Unexpected("an integer");
    lexer_.Advance();
    return *number;
  }

  Result<double> ParseNumber() {
    const auto number = NumberOfText(token().text);
    if (!number) return Unexpected("a number");
    lexer_.Advance();
    return *number;
  }

  Result<Type> ParseType() {
    Type type;
    if (At("array") || At("stack")) {
      type.kind = At("array") ? Kind::kArray : Kind::kStack;
      lexer_.Advance();
      TAGFLOW_RETURN_IF_ERROR(Expect("of"));
    }
    const Token place = token();
    const auto dtype = DTypeFromName(token().text);
    if (!dtype || token().kind != Token::Kind::kName) return Unexpected("a type");
    type.dtype = *dtype;
    lexer_.Advance();
    if (At("[")) {
      do {
        lexer_.Advance();
        int64_t dim = -1;
        if (!Take("?")) {
          TAGFLOW_ASSIGN_OR_RETURN(dim, ParseInteger());
          if (dim < 0) return ErrorAt(place, "a dimension is negative");
        }
        type.dims.push_back(dim);
      } while (At(","));
      TAGFLOW_RETURN_IF_ERROR(Expect("]"));
    }
    const Status status = CheckType(type);
    if (!status.ok()) return ErrorAt(place, status.message());
    return type;
  }

  bool AtType() const {
    return token().kind == Token::Kind::kName && DTypeFromName(token().text).has_value();
  }

  // A literal for a value of `type`.
  Result<Tensor> ParseLiteral(Type type) {
    if (AtType()) {
      TAGFLOW_ASSIGN_OR_RETURN(type, ParseType());
    }
    if (type.kind != Kind::kTensor) return Unexpected("no literal for an array or a stack");
    for (int64_t dim : type.dims) {
      if (dim < 0) return Unexpected("a type whose dimensions are known");
    }
    TAGFLOW_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(type.dtype, type.dims));
    if (tensor.num_elements() == 0) {
      TAGFLOW_RETURN_IF_ERROR(Expect("["));
      TAGFLOW_RETURN_IF_ERROR(Expect("]"));
      return tensor;
    }
    int64_t next = 0;
    TAGFLOW_RETURN_IF_ERROR(ParseElements(tensor, 0, next));
    return tensor;
  }

  Status ParseElements(Tensor& tensor, int axis, int64_t& next) {
    if (axis == tensor.rank()) {
      if (!SetElement(tensor, next++, token().text)) {
        return Unexpected("an element of type " + DTypeName(tensor.dtype()));
      }
      lexer_.Advance();
      return Status();
    }
    TAGFLOW_RETURN_IF_ERROR(Expect("["));
    for (int64_t i = 0; i < tensor.dim(axis); ++i) {
      if (i > 0) TAGFLOW_RETURN_IF_ERROR(Expect(","));
      TAGFLOW_RETURN_IF_ERROR(ParseElements(tensor, axis + 1, next));
    }
    return Expect("]");
  }

  Lexer lexer_;
};

class Parser : WordParser {
 public:
  explicit Parser(std::string_view text) : WordParser(text) {}

  Result<Program> Parse() {
    TAGFLOW_RETURN_IF_ERROR(ParsePreamble());
    TAGFLOW_RETURN_IF_ERROR(ParseBlock(program_.body));
    if (token().kind != Token::Kind::kEnd) return Unexpected("a statement or the end");
    if (const MaybeFault fault = FindFault(program_)) return OfFault(*fault);
    return std::move(program_);
  }

 private:
  // A fault of the program as a whole, at the statement it lies in.
  Status OfFault(const Fault& fault) const {
    size_t index = 0, found = places_.size();
    ForEachStatement(program_.body, [&](const Statement& statement) {
      if (&statement == fault.where) found = index;
      ++index;
    });
    if (found == places_.size()) return ErrorAt({}, fault.what);
    return ErrorAt(places_[found],
                   "'" + StatementText(program_, *fault.where) + "': " + fault.what);
  }

  // "name: type": a new value.
  Result<ValueId> ParseBinder() {
    const Token place = token();
    TAGFLOW_ASSIGN_OR_RETURN(const std::string name, ParseName());
    TAGFLOW_RETURN_IF_ERROR(Expect(":"));
    TAGFLOW_ASSIGN_OR_RETURN(Type type, ParseType());
    const auto [entry, is_new] = values_.try_emplace(name, ValueId::kNone);
    if (!is_new) return ErrorAt(place, "'" + name + "' is bound a second time");
    return entry->second = program_.NewValue(std::move(type));
  }

  Status ParseBinders(std::vector<ValueId>& ids) {
    do {
      TAGFLOW_ASSIGN_OR_RETURN(const ValueId id, ParseBinder());
      ids.push_back(id);
    } while (Take(","));
    return Status();
  }

  Status ParseUses(std::vector<ValueId>& ids) {
    do {
      const Token place = token();
      TAGFLOW_ASSIGN_OR_RETURN(const std::string name, ParseName());
      const auto found = values_.find(name);
      if (found == values_.end()) return ErrorAt(place, "there is no value '" + name + "'");
      ids.push_back(found->second);
    } while (Take(","));
    return Status();
  }

  Status ParsePreamble() {
    if (Take("runs")) {
      const Token place = token();
      TAGFLOW_ASSIGN_OR_RETURN(const int64_t runs, ParseInteger());
      if (runs < 1 || runs > kMaxRuns) return ErrorAt(place, "runs are 1 to 1000");
      program_.runs = static_cast<int>(runs);
    }
    while (Take("variable")) TAGFLOW_RETURN_IF_ERROR(ParseVariable());
    while (Take("input")) TAGFLOW_RETURN_IF_ERROR(ParseInput());
    return Status();
  }

  Status ParseVariable() {
    const Token place = token();
    TAGFLOW_ASSIGN_OR_RETURN(const std::string name, ParseName());
    if (!variables_.emplace(name, static_cast<int>(program_.variables.size())).second) {
      return ErrorAt(place, "there is a variable '" + name + "' already");
    }
    TAGFLOW_RETURN_IF_ERROR(Expect(":"));
    Variable variable;
    TAGFLOW_ASSIGN_OR_RETURN(variable.type, ParseType());
    TAGFLOW_RETURN_IF_ERROR(Expect("="));
    TAGFLOW_ASSIGN_OR_RETURN(variable.initial, ParseLiteral(variable.type));
    program_.variables.push_back(std::move(variable));
    return Status();
  }

  Status ParseInput() {
    Input input;
    TAGFLOW_ASSIGN_OR_RETURN(input.value, ParseBinder());
    TAGFLOW_RETURN_IF_ERROR(Expect("="));
    do {
      TAGFLOW_ASSIGN_OR_RETURN(Tensor feed, ParseLiteral(program_.type(input.value)));
      input.feeds.push_back(std::move(feed));
    } while (Take(";"));
    program_.inputs.push_back(std::move(input));
    return Status();
  }

  bool AtBlockEnd() const {
    return token().kind == Token::Kind::kEnd || At("}") || At("then") || At("else") ||
           At("branch") || At("test") || At("body");
  }

  Status ParseBlock(Block& block) {
    if (++nesting_ > kMaxNesting) return ErrorAt(token(), "the blocks are nested too deeply");
    while (!AtBlockEnd() && !At("return")) {
      TAGFLOW_RETURN_IF_ERROR(ParseStatement(block.statements.emplace_back()));
    }
    if (Take("return")) TAGFLOW_RETURN_IF_ERROR(ParseUses(block.results));
    --nesting_;
    return Status();
  }

  Status ParseStatement(Statement& statement) {
    places_.push_back(token());
    if (!OpOfName(token().text)) {
      TAGFLOW_RETURN_IF_ERROR(ParseBinders(statement.outputs));
      TAGFLOW_RETURN_IF_ERROR(Expect("="));
    }
    const auto op = OpOfName(token().text);
    if (!op) return Unexpected("an operation");
    lexer_.Advance();
    statement.op = *op;
    TAGFLOW_RETURN_IF_ERROR(ParseArguments(statement));
    if (Take("after")) TAGFLOW_RETURN_IF_ERROR(ParseUses(statement.after));
    if (!Take("{")) return Status();
    while (!At("}")) {
      TAGFLOW_RETURN_IF_ERROR(ParseHeading(statement));
      TAGFLOW_RETURN_IF_ERROR(ParseBlock(statement.blocks.back()));
    }
    return Expect("}");
  }

  Status ParseArguments(Statement& statement) {
    if (statement.op == Op::kConst) {
      if (statement.outputs.empty()) return Unexpected("a value before the Const");
      TAGFLOW_ASSIGN_OR_RETURN(statement.literal,
                               ParseLiteral(program_.type(statement.outputs[0])));
    }
    if (Take("(")) {
      TAGFLOW_RETURN_IF_ERROR(ParseUses(statement.operands));
      TAGFLOW_RETURN_IF_ERROR(Expect(")"));
    }
    if (statement.op == Op::kRead || statement.op == Op::kAssign ||
        statement.op == Op::kAssignAdd) {
      const auto found = variables_.find(std::string(token().text));
      if (found == variables_.end()) return Unexpected("a variable");
      statement.variable = found->second;
      lexer_.Advance();
    }
    if (At("[")) {
      do {
        lexer_.Advance();
        TAGFLOW_ASSIGN_OR_RETURN(const int64_t number, ParseInteger());
        statement.numbers.push_back(number);
      } while (At(","));
      TAGFLOW_RETURN_IF_ERROR(Expect("]"));
    }
    return statement.op == Op::kWhile ? ParseLoop(statement) : Status();
  }

  Status ParseLoop(Statement& statement) {
    Loop& loop = statement.loop;
    // The counter has the type of what becomes of it.
    if (statement.outputs.empty()) return Unexpected("a value for the counter");
    loop.counter = program_.type(statement.outputs[0]).dtype;
    TAGFLOW_RETURN_IF_ERROR(Expect("from"));
    TAGFLOW_ASSIGN_OR_RETURN(loop.start, ParseNumber());
    TAGFLOW_RETURN_IF_ERROR(Expect("step"));
    TAGFLOW_ASSIGN_OR_RETURN(loop.step, ParseNumber());
    const auto compare = OpOfName(token().text);
    if (!compare) return Unexpected("a comparison");
    loop.compare = *compare;
    lexer_.Advance();
    TAGFLOW_RETURN_IF_ERROR(Expect("most"));
    TAGFLOW_ASSIGN_OR_RETURN(loop.most, ParseNumber());
    if (Take("maximum")) {
      TAGFLOW_ASSIGN_OR_RETURN(loop.maximum_iterations, ParseInteger());
    }
    if (Take("parallel")) {
      TAGFLOW_ASSIGN_OR_RETURN(loop.parallel_iterations, ParseInteger());
    }
    loop.back_prop = !Take("no_back_prop");
    loop.swap_memory = Take("swap_memory");
    loop.bound_inside = Take("bound_inside");
    return Status();
  }

  // Adds the block that it heads, with its parameters.
  Status ParseHeading(Statement& statement) {
    const size_t i = statement.blocks.size();
    const std::string_view wanted = statement.op == Op::kCond    ? (i == 0 ? "then" : "else")
                                    : statement.op == Op::kWhile ? (i == 0 ? "test" : "body")
                                                                 : "branch";
    TAGFLOW_RETURN_IF_ERROR(Expect(wanted));
    Block& block = statement.blocks.emplace_back();
    if (Take("(")) {
      TAGFLOW_RETURN_IF_ERROR(ParseBinders(block.parameters));
      TAGFLOW_RETURN_IF_ERROR(Expect(")"));
    }
    return Expect(":");
  }

  Program program_;
  std::map<std::string, ValueId> values_;
  std::map<std::string, int> variables_;
  std::vector<Token> places_;  // of the statements, in order of the text
  int nesting_ = 0;
};

}  // namespace

Result<Program> ParseProgram(std::string_view text) { return Parser(text).Parse(); }

}  // namespace tagflow::fuzz
