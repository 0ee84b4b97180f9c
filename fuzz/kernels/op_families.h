#ifndef TAGFLOW_FUZZ_KERNELS_OP_FAMILIES_H_
#define TAGFLOW_FUZZ_KERNELS_OP_FAMILIES_H_

// Which ops go with which: those that make what others take and cannot be fed. Of all ops that the
// reference has a kernel for.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "graph/op_def.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// What cannot be fed: it comes from another node.
bool IsMade(ArgType type);
bool IsMade(const ArgDef& arg);

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
const OpDef* DrawMaker(const std::string& for_op, DType dtype, Choices& choices);
// What makers of stacks, arrays and lists ask first: for how many elements, and of which shape.
std::optional<Tensor> AskedByMaker(const std::string& maker, size_t index, DType dtype);

// How often an op is called, beside others: the more the more dtypes it has kernels for, the more
// attrs, and the more ways of computing it there are for this shape or that.
size_t FormsOf(const OpDef& op);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_OP_FAMILIES_H_
