#ifndef TAGFLOW_FUZZ_KERNELS_OP_FAMILIES_H_
#define TAGFLOW_FUZZ_KERNELS_OP_FAMILIES_H_

// Which ops there are to call, and which go with which: those that make what others take and cannot
// be fed. Of all ops that some engine has a kernel for. Tested by kernels_test.cc.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/op_def.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// An op of the standard. REQUIRES: there is one of that name
const OpDef& StandardOp(std::string_view name);

// What cannot be fed: it comes from another node.
bool IsMade(ArgType type);
bool IsMade(const ArgDef& arg);
bool IsVariable(const OpDef& maker);  // that it makes is a handle of a variable
bool IsProduct(const OpDef& op);      // of matrices
// Of two tensors of one dtype, and nothing says how: so any element may stand beside any other.
bool IsOfPairs(const OpDef& op);

std::vector<const OpDef*> OpsWhere(bool (*wanted)(const OpDef&));
// Ops that make handles or variants out of plain inputs.
const std::vector<const OpDef*>& MakersOf(DType dtype);
const std::vector<const OpDef*>& TakersOfHandles();
const std::vector<const OpDef*>& TakersOfReferences();
// Of either; some of them several times.
const std::vector<const OpDef*>& TakersOfState();
// Those of the ops that are of one family with the named one, or all, if none is.
std::vector<const OpDef*> AkinTo(const std::string& name, const std::vector<const OpDef*>& ops);
// Ops that take handles of what the maker makes.
std::vector<const OpDef*> TakersOf(const OpDef& maker);

// What makes the handle or the variant that an op asks for; of variables, where nothing is akin.
const OpDef& DrawMaker(const OpDef& for_op, DType dtype, Choices& choices);
// What ops on stacks, arrays and lists ask: for how many elements, of which shape, and at which
// place.
std::optional<Tensor> AskedByOther(const OpDef& op, size_t index, DType dtype, Choices& choices);

// How often an op is called, beside others: the more the more dtypes it has kernels for, the more
// attrs, and the more ways of computing it there are for this shape or that.
size_t FormsOf(const OpDef& op);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_OP_FAMILIES_H_
