// Types: CheckTypes and Retype. One walk in order of the text works out the type of each value,
// with names for unknown dimensions, and holds the type it is declared with against it; or, to
// retype, declares it anew where the two do not agree.

#include <string>

#include "fuzz/program/passes.h"
#include "fuzz/program/result_types.h"
#include "fuzz/program/retype.h"

namespace tagflow::fuzz {
namespace {

Type TypeOf(const Tensor& tensor) {
  return {Kind::kTensor, tensor.dtype(), Dims(tensor.dims().begin(), tensor.dims().end())};
}

// Opens the dims of `type` in which `other` differs; whether they are otherwise alike.
bool Join(Type& type, const Type& other) {
  if (type.kind != other.kind || type.dtype != other.dtype) return false;
  if (type.dims.size() != other.dims.size()) return false;
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i] != other.dims[i]) type.dims[i] = -1;
  }
  return true;
}

class Typer {
 public:
  // rewritten: null, or the program itself, to be retyped.
  Typer(const Program& program, Program* rewritten)
      : program_(program), rewritten_(rewritten), named_(program.types.size()) {}

  MaybeFault Run() {
    for (size_t i = 0; i < program_.variables.size(); ++i) {
      TAGFLOW_RETURN_IF_FAULT(TypeVariable(i));
    }
    for (const Input& input : program_.inputs) TAGFLOW_RETURN_IF_FAULT(TypeInput(input));
    return TypeBlock(program_.body);
  }

 private:
  const Type& declared(ValueId id) const { return program_.type(id); }
  void Declare(ValueId id, Type type) { rewritten_->types[Index(id)] = Unnamed(std::move(type)); }

  // Gives the value the type found for it.
  MaybeFault Bind(ValueId id, const NamedType& found, const Statement* where) {
    if (rewritten_ != nullptr && !Fits(found.type, declared(id))) Declare(id, found.type);
    const Type& type = declared(id);
    if (!Fits(found.type, type)) {
      return Fault{where,
                   "what it gives is a " + TypeText(found.type) + ", not a " + TypeText(type)};
    }
    NamedType& named = named_[Index(id)];
    named = found;
    for (size_t i = 0; i < type.dims.size(); ++i) {
      if (type.dims[i] < 0 && found.type.dims[i] >= 0) named.type.dims[i] = names_.New();
    }
    return std::nullopt;
  }

  // Gives the value the type it is declared with, whose unknown dims may be anything.
  void BindAsDeclared(ValueId id, int64_t length) {
    named_[Index(id)] = {names_.Name(declared(id)), length};
  }

  MaybeFault TypeVariable(size_t i) {
    const Variable& variable = program_.variables[i];
    const std::string name = "variable x" + std::to_string(i);
    if (!variable.initial.has_value()) return Fault{nullptr, name + " has no initial value"};
    const Type type = TypeOf(variable.initial);
    if (rewritten_ != nullptr) rewritten_->variables[i].type = type;
    if (variable.type != type) {
      return Fault{nullptr, name + " is a " + TypeText(variable.type) +
                                ", but its initial value is a " + TypeText(type)};
    }
    return OfStatus(CheckType(type), nullptr);
  }

  MaybeFault TypeInput(const Input& input) {
    if (input.feeds.size() != static_cast<size_t>(program_.runs)) {
      return Fault{nullptr, "an input needs one feed per run"};
    }
    for (size_t run = 0; run < input.feeds.size(); ++run) {
      const Type type = TypeOf(input.feeds[run]);
      if (rewritten_ != nullptr && !Fits(type, declared(input.value))) {
        Type joined = run == 0 ? type : declared(input.value);
        if (Join(joined, type)) Declare(input.value, std::move(joined));
      }
      if (!Fits(type, declared(input.value))) {
        return Fault{nullptr, "a feed is a " + TypeText(type) + ", but its input is a " +
                                  TypeText(declared(input.value))};
      }
    }
    BindAsDeclared(input.value, -1);
    return OfStatus(CheckType(declared(input.value)), nullptr);
  }

  static MaybeFault OfStatus(const Status& status, const Statement* where) {
    if (status.ok()) return std::nullopt;
    return Fault{where, status.message()};
  }

  MaybeFault TypeBlock(const Block& block) {
    for (const Statement& statement : block.statements) {
      TAGFLOW_RETURN_IF_FAULT(TypeStatement(statement));
    }
    return std::nullopt;
  }

  MaybeFault TypeStatement(const Statement& statement) {
    if (statement.op == Op::kCond || statement.op == Op::kCase) return TypeBranches(statement);
    if (statement.op == Op::kWhile) return TypeWhile(statement);
    if (statement.variable >= 0) return TypeAccess(statement);
    std::vector<NamedType> operands;
    for (ValueId id : statement.operands) operands.push_back(named_[Index(id)]);
    std::vector<Type> outputs;
    for (ValueId id : statement.outputs) outputs.push_back(declared(id));
    const auto found = ResultTypes(statement, operands, outputs, names_);
    if (!found.ok()) return OfStatus(found.status(), &statement);
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      TAGFLOW_RETURN_IF_FAULT(Bind(statement.outputs[i], (*found)[i], &statement));
    }
    return std::nullopt;
  }

  MaybeFault TypeAccess(const Statement& statement) {
    const Type& type = program_.variables[static_cast<size_t>(statement.variable)].type;
    if (statement.op == Op::kRead) return Bind(statement.outputs[0], {type, -1}, &statement);
    const Type& value = named_[Index(statement.operands[0])].type;
    if (!Fits(value, type)) {
      return Fault{&statement, "a " + TypeText(value) + " cannot go into a variable that is a " +
                                   TypeText(type)};
    }
    if (statement.op == Op::kAssignAdd && type.dtype == DType::kBool) {
      return Fault{&statement, "does not take bool"};
    }
    return std::nullopt;
  }

  MaybeFault TypeBranches(const Statement& statement) {
    const Type wanted{Kind::kTensor, statement.op == Op::kCond ? DType::kBool : DType::kInt32, {}};
    if (declared(statement.operands[0]) != wanted) {
      return Fault{&statement, "the operand must be a " + TypeText(wanted) + ", not a " +
                                   TypeText(declared(statement.operands[0]))};
    }
    for (const Block& block : statement.blocks) TAGFLOW_RETURN_IF_FAULT(TypeBlock(block));
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      TAGFLOW_RETURN_IF_FAULT(TypeBranchOutput(statement, i));
    }
    return std::nullopt;
  }

  MaybeFault TypeBranchOutput(const Statement& statement, size_t i) {
    const ValueId output = statement.outputs[i];
    const ValueId first = statement.blocks[0].results[i];
    for (const Block& block : statement.blocks) {
      const Type& type = declared(block.results[i]);
      if (rewritten_ != nullptr && !Fits(type, declared(output))) {
        Type joined = &block == &statement.blocks[0] ? type : declared(output);
        if (Join(joined, type)) Declare(output, std::move(joined));
      }
      if (!Fits(type, declared(output))) {
        return Fault{&statement, "result " + std::to_string(i) + " of a branch is a " +
                                     TypeText(type) + ", not a " + TypeText(declared(output))};
      }
    }
    BindAsDeclared(output, named_[Index(first)].length);
    return std::nullopt;
  }

  MaybeFault TypeWhile(const Statement& statement) {
    const Type counter{Kind::kTensor, statement.loop.counter, {}};
    if (declared(statement.operands[0]) != counter) {
      return Fault{&statement, "the bound must be a " + TypeText(counter) +
                                   " as the counter, not a " +
                                   TypeText(declared(statement.operands[0]))};
    }
    TAGFLOW_RETURN_IF_FAULT(TypeLoopValue(statement, 0, counter));
    for (size_t i = 1; i < statement.operands.size(); ++i) {
      TAGFLOW_RETURN_IF_FAULT(TypeLoopValue(statement, i, declared(statement.operands[i])));
    }
    // To retype: a dimension that the body changes is opened, and the blocks are typed again, until
    // none is left to open.
    while (true) {
      BindParameters(statement);
      for (const Block& block : statement.blocks) TAGFLOW_RETURN_IF_FAULT(TypeBlock(block));
      if (rewritten_ == nullptr || !OpenChangedDims(statement)) break;
    }
    for (size_t i = 0; i < statement.outputs.size(); ++i) {
      BindAsDeclared(statement.outputs[i], named_[Index(statement.operands[i])].length);
    }
    return CheckBlockResults(statement);
  }

  // The types of the counter or a variable at the end and in both blocks are one.
  MaybeFault TypeLoopValue(const Statement& statement, size_t i, const Type& initial) {
    const ValueId output = statement.outputs[i];
    if (rewritten_ != nullptr) {
      if (!Fits(initial, declared(output))) Declare(output, initial);
      for (const Block& block : statement.blocks) Declare(block.parameters[i], declared(output));
    }
    if (!Fits(initial, declared(output))) {
      return Fault{
          &statement,
          (i == 0 ? "the counter" : "the initial value of variable " + std::to_string(i - 1)) +
              " is a " + TypeText(initial) + ", not a " + TypeText(declared(output))};
    }
    for (const Block& block : statement.blocks) {
      if (declared(block.parameters[i]) == declared(output)) continue;
      return Fault{&statement, "a parameter is a " + TypeText(declared(block.parameters[i])) +
                                   ", but what becomes of it a " + TypeText(declared(output))};
    }
    return std::nullopt;
  }

  void BindParameters(const Statement& statement) {
    for (const Block& block : statement.blocks) {
      for (size_t i = 0; i < block.parameters.size(); ++i) {
        BindAsDeclared(block.parameters[i], named_[Index(statement.operands[i])].length);
      }
    }
  }

  bool OpenChangedDims(const Statement& statement) {
    const Block& body = statement.blocks[1];
    bool opened = false;
    for (size_t i = 0; i < body.results.size(); ++i) {
      const ValueId output = statement.outputs[i + 1];
      Type joined = declared(output);
      if (!Join(joined, declared(body.results[i])) || joined == declared(output)) continue;
      opened = true;
      Declare(output, joined);
      for (const Block& block : statement.blocks) Declare(block.parameters[i + 1], joined);
    }
    return opened;
  }

  MaybeFault CheckBlockResults(const Statement& statement) const {
    for (ValueId id : statement.blocks[0].results) {
      const Type wanted{Kind::kTensor, DType::kBool, {}};
      if (declared(id) == wanted) continue;
      return Fault{&statement, "the test's result must be a bool, not a " + TypeText(declared(id))};
    }
    for (size_t i = 0; i < statement.blocks[1].results.size(); ++i) {
      const Type& type = declared(statement.blocks[1].results[i]);
      const Type& wanted = declared(statement.outputs[i + 1]);
      if (Fits(type, wanted)) continue;
      return Fault{&statement, "the next value of variable " + std::to_string(i) + " is a " +
                                   TypeText(type) + ", not a " + TypeText(wanted)};
    }
    return std::nullopt;
  }

  const Program& program_;
  Program* rewritten_;
  std::vector<NamedType> named_;
  DimNames names_;
};

}  // namespace

MaybeFault CheckTypes(const Program& program) { return Typer(program, nullptr).Run(); }

Status Retype(Program& program) {
  if (const MaybeFault fault = Typer(program, &program).Run()) return InvalidArgument(fault->what);
  return Status();
}

}  // namespace tagflow::fuzz
