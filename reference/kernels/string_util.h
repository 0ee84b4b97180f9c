#ifndef TAGFLOW_REFERENCE_KERNELS_STRING_UTIL_H_
#define TAGFLOW_REFERENCE_KERNELS_STRING_UTIL_H_

// What kernels over texts share. A text is bytes; where characters are asked for, it is read as
// UTF-8, and bytes that are no UTF-8 count as characters in some way that never leaves the text.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernel.h"

namespace tagflow::reference {

// Blank, tab, line feed, vertical tab, form feed, carriage return, whatever the locale.
bool IsSpace(char c);
// Without the spaces at both ends.
std::string_view Stripped(std::string_view text);

// Whether a byte goes on with a UTF-8 character that began before it.
inline bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }
// Whether the attr `unit` says UTF8_CHAR, and not BYTE.
Result<bool> CountsCharacters(const Node& node);

// The texts one after the other, `separator` between them.
std::string Joined(const std::vector<std::string_view>& texts, std::string_view separator);

// Input 0's texts, each changed.
Status ChangeEach(KernelContext& context,
                  const std::function<Result<std::string>(const std::string&)>& change);

// A tensor of texts.   Errors: of Tensor::Allocate.   REQUIRES: one per element
Result<Tensor> TextTensor(DimsView dims, std::vector<std::string> texts);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_STRING_UTIL_H_
