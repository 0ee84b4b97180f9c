#include "conformance/ops/op_script.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "conformance/ops/script_text.h"
#include "graph/literal.h"
#include "graph/op_def.h"

namespace tagflow::conformance {
namespace {

using Values = std::vector<OpRunner::Value>;

// Whether a printed tensor is this one, with NaNs of either sign, and complex numbers written as
// real ones.
bool IsPrinted(const Values& values, const std::string& expected) {
  const std::vector<std::string> texts = SplitOutside(expected, ";");
  if (texts.size() != values.size()) return false;
  for (size_t i = 0; i < values.size(); ++i) {
    const Result<Tensor> tensor = ParseLiteral(texts[i], std::nullopt);
    if (!tensor.ok() || !BitwiseEqual(*tensor, values[i].tensor)) return false;
  }
  return true;
}

// As ParseLiteral, or "variant[2]": a tensor of elements that are zero or empty.
Result<Tensor> Literal(const std::string& text) {
  static const std::regex blank(R"((\w+)\[([\d,]*)\])");
  std::smatch match;
  if (!std::regex_match(text, match, blank)) return ParseLiteral(text, std::nullopt);
  const std::optional<DType> dtype = DTypeFromName(match[1].str());
  if (!dtype.has_value()) return InvalidArgument("no dtype " + match[1].str());
  Dims dims;
  for (const std::string& dim : SplitOutside(match[2].str(), ",")) dims.push_back(std::stoll(dim));
  return Tensor::Allocate(*dtype, dims);
}

// A new folder, which goes with this object.
class Scratch {
 public:
  Scratch() {
    const char* const given = std::getenv("TEST_TMPDIR");
    path_ = given != nullptr ? given : std::filesystem::temp_directory_path().string();
    path_ += "/op_script-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Run {
 public:
  explicit Run(const OpEngine& engine) : engine_(engine), runner_(engine.make()) {
    literals_["scratch"] = Tensor::Scalar(scratch_.path());
  }

  // OK where the line holds.
  Status Line(const std::string& text) {
    if (text == "end step") {
      runner_->EndStep();
      return Status();
    }
    if (text.starts_with("node ")) {
      runner_->SetNode(text.substr(5));
      return Status();
    }
    TAGFLOW_ASSIGN_OR_RETURN(const std::optional<CallText> call, ParseCall(text));
    return call.has_value() ? Call(*call) : Bind(text);
  }

 private:
  // name = literal
  Status Bind(const std::string& text) {
    const size_t equals = text.find(" = ");
    if (equals == text.npos) return InvalidArgument("neither a call nor a name of a value");
    const std::string name = text.substr(0, equals);
    outputs_.erase(name);
    TAGFLOW_ASSIGN_OR_RETURN(literals_[name], Literal(text.substr(equals + 3)));
    return Status();
  }

  Status Call(const CallText& call) {
    const OpDef* const op = OpRegistry::Standard().Find(call.op);
    if (op == nullptr) return NotFound("there is no op " + call.op);
    TAGFLOW_ASSIGN_OR_RETURN(AttrMap attrs, ParseAttrs(*op, call.attrs));
    Values arguments;
    for (const std::string& text : call.arguments) {
      TAGFLOW_ASSIGN_OR_RETURN(arguments.emplace_back(), Argument(text));
    }
    Result<Values> outputs = runner_->Run(call.op, std::move(arguments), std::move(attrs));
    if (call.expected.has_value()) {
      TAGFLOW_RETURN_IF_ERROR(Judge(outputs, *call.expected));
    } else if (!outputs.ok()) {
      return outputs.status();
    }
    if (!call.name.empty()) {
      literals_.erase(call.name);
      if (outputs.ok()) outputs_[call.name] = *std::move(outputs);
    }
    return Status();
  }

  Result<OpRunner::Value> Argument(const std::string& text) {
    const std::string name = text.substr(0, text.find(':'));
    if (const auto output = outputs_.find(name); output != outputs_.end()) {
      const size_t index = name == text ? 0 : std::stoul(text.substr(name.size() + 1));
      if (index >= output->second.size()) return InvalidArgument("there is no output " + text);
      return output->second[index];
    }
    const auto literal = literals_.find(text);
    Result<Tensor> tensor = literal != literals_.end() ? literal->second.Clone() : Literal(text);
    TAGFLOW_RETURN_IF_ERROR(tensor.status());
    return OpRunner::Value{*std::move(tensor), nullptr};
  }

  Status Judge(const Result<Values>& outputs, const std::string& expected) const {
    std::string text;
    if (outputs.ok()) {
      for (const OpRunner::Value& value : *outputs) {
        text += (text.empty() ? "" : "; ") + runner_->Text(value);
      }
      if (outputs->empty()) text = "nothing";
    } else {
      text = outputs.status().ToString();
    }
    const bool holds = outputs.ok()
                           ? MatchesPattern(text, expected) || IsPrinted(*outputs, expected)
                           : IsError(outputs.status(), expected);
    return holds ? Status() : FailedPrecondition("gives " + text + ", not " + expected);
  }

  // CODE, CODE: words, or CODE (words of the reference)
  bool IsError(const Status& error, const std::string& expected) const {
    const std::string code(CodeName(error.code()));
    if (expected == code) return true;
    if (!expected.starts_with(code + " (")) return MatchesPattern(error.ToString(), expected);
    const size_t begin = code.size() + 2;
    const std::string words = expected.substr(begin, expected.size() - begin - 1);
    return !engine_.is_reference || MatchesPattern(error.message(), words);
  }

  const Scratch scratch_;
  const OpEngine& engine_;
  std::unique_ptr<OpRunner> runner_;
  std::map<std::string, Tensor> literals_;
  std::map<std::string, Values> outputs_;
};

}  // namespace

Result<std::vector<OpScript>> ReadOpScripts(std::string_view text) {
  constexpr std::string_view kTest = "test ";
  std::vector<OpScript> scripts;
  std::istringstream stream{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with(kTest)) {
      scripts.push_back({line.substr(kTest.size()), {}});
      continue;
    }
    const bool goes_on = line[0] == ' ';
    if (scripts.empty() || (goes_on && scripts.back().lines.empty())) {
      return InvalidArgument("line " + std::to_string(number) + " continues nothing: " + line);
    }
    if (goes_on) {
      scripts.back().lines.back().text += line.substr(line.find_first_not_of(' ') - 1);
    } else {
      scripts.back().lines.push_back({number, line});
    }
  }
  return scripts;
}

std::set<std::string> CalledOps(const OpScript& script) {
  std::set<std::string> ops;
  for (const OpScript::Line& line : script.lines) {
    const auto texts = LinesOfDTypes(line.text);
    const auto call = ParseCall(texts.ok() ? texts->front() : line.text);
    if (call.ok() && call->has_value()) ops.insert((*call)->op);
  }
  return ops;
}

std::vector<OpScriptFailure> RunOpScript(const OpScript& script, const OpEngine& engine) {
  std::vector<OpScriptFailure> failures;
  Run run(engine);
  for (const OpScript::Line& line : script.lines) {
    const Result<std::vector<std::string>> texts = LinesOfDTypes(line.text);
    if (!texts.ok()) {
      failures.push_back({line.number, texts.status().ToString()});
      continue;
    }
    for (const std::string& text : *texts) {
      const Status status = run.Line(text);
      if (!status.ok()) failures.push_back({line.number, text + " " + status.message()});
    }
  }
  return failures;
}

}  // namespace tagflow::conformance
