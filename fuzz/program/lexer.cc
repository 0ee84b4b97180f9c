#include "fuzz/program/lexer.h"

#include <algorithm>

namespace tagflow::fuzz {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

}  // namespace

void Lexer::Skip(size_t count) {
  for (char c : text_.substr(0, count)) {
    ++column_;
    if (c != '\n') continue;
    ++line_;
    column_ = 1;
  }
  text_.remove_prefix(count);
}

void Lexer::SkipBlanks() {
  while (!text_.empty()) {
    if (text_[0] == '#') {
      Skip(std::min(text_.find('\n'), text_.size()));
    } else if (IsBlank(text_[0])) {
      Skip(1);
    } else {
      return;
    }
  }
}

void Lexer::Advance() {
  SkipBlanks();
  token_ = {Token::Kind::kEnd, text_.substr(0, 0), line_, column_};
  if (text_.empty()) return;
  const char first = text_[0];
  size_t length = 1;
  if (IsLetter(first)) {
    token_.kind = Token::Kind::kName;
    while (length < text_.size() && (IsLetter(text_[length]) || IsDigit(text_[length]))) ++length;
  } else if (IsDigit(first) || first == '-' || first == '+' || first == '.') {
    token_.kind = Token::Kind::kNumber;
    const auto goes_on = [](char c) {
      return IsDigit(c) || IsLetter(c) || c == '.' || c == '-' || c == '+';
    };
    while (length < text_.size() && goes_on(text_[length])) ++length;
  } else {
    token_.kind = Token::Kind::kSign;
  }
  token_.text = text_.substr(0, length);
  Skip(length);
}

}  // namespace tagflow::fuzz
