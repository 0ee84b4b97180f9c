// What steps say, but for what both executors do (optimized/errors.h).

#include <algorithm>

#include "optimized/tokens/ending.h"

namespace tagflow::optimized::tokens {

std::string AtTag(const Tag& tag) { return tag.is_root() ? "" : " at tag " + ToString(tag); }

Status LostTrack(const std::string& what, const std::vector<std::string>& lost,
                 const std::string& waits) {
  std::string text;
  for (size_t i = 0; i < std::min(lost.size(), kMaxListed); ++i) text += "; " + lost[i];
  return Internal("the engine has lost track of a step, and " + what +
                  " is still owed. This is a bug of the engine: please report it with the graph" +
                  text + waits);
}

Status WrongDType(DType wanted, DType sent) {
  return InvalidArgument("a Recv of " + DTypeName(wanted) + " got " + DTypeName(sent) +
                         "; give what is sent and what is received one tensor_type")
      .WithRule("rendezvous.3");
}

}  // namespace tagflow::optimized::tokens
