#ifndef TAGFLOW_FUZZ_PROGRAM_LEXER_H_
#define TAGFLOW_FUZZ_PROGRAM_LEXER_H_

// The words of a program's text.

#include <string>
#include <string_view>

namespace tagflow::fuzz {

struct Token {
  enum class Kind { kName, kNumber, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;  // of the program's text; one character for a sign
  int line = 1;           // of its first character; both count from 1
  int column = 1;
};

// Blanks, line ends and comments only part words. A number is whatever begins like one.
class Lexer {
 public:
  // The text must outlive the lexer and its tokens.
  explicit Lexer(std::string_view text) : text_(text) { Advance(); }

  const Token& token() const { return token_; }
  void Advance();

 private:
  void Skip(size_t count);
  void SkipBlanks();

  std::string_view text_;  // what is left
  int line_ = 1;
  int column_ = 1;
  Token token_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_LEXER_H_
