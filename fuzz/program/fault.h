#ifndef TAGFLOW_FUZZ_PROGRAM_FAULT_H_
#define TAGFLOW_FUZZ_PROGRAM_FAULT_H_

// What is wrong with a program, and where.

#include <optional>
#include <string>

#include "fuzz/program/program.h"

namespace tagflow::fuzz {

struct Fault {
  const Statement* where = nullptr;  // of the program looked at; null: of no statement
  std::string what;
};

// What the passes of Check return; nothing when all is well.
using MaybeFault = std::optional<Fault>;

// The first thing wrong with the program: Check, for those who need to know the statement.
MaybeFault FindFault(const Program& program);

}  // namespace tagflow::fuzz

#define TAGFLOW_RETURN_IF_FAULT(expr)                                                            \
  do {                                                                                           \
    if (::tagflow::fuzz::MaybeFault tagflow_fault = (expr); tagflow_fault) return tagflow_fault; \
  } while (0)

#endif  // TAGFLOW_FUZZ_PROGRAM_FAULT_H_
