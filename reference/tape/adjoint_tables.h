#ifndef TAGFLOW_REFERENCE_TAPE_ADJOINT_TABLES_H_
#define TAGFLOW_REFERENCE_TAPE_ADJOINT_TABLES_H_

// Derivatives that are a formula for one element, and ops whose outputs are each made of a group of
// elements: what remains to be said of such an op is a line of a table.

#include <utility>
#include <vector>

#include "reference/tape/adjoint.h"

namespace tagflow::reference {

// dy/dx, given x and y.
using Slope = double (*)(double x, double y);

struct UnaryEntry {
  const char* op;
  Slope slope;
  Slope magnitude = nullptr;  // of its terms, where it is a sum of them
};
AdjointFunction Unary(const UnaryEntry& entry);

// (dz/dx, dz/dy), given x, y and z.
using Slopes = std::pair<double, double> (*)(double x, double y, double z);

struct BinaryEntry {
  const char* op;
  Slopes slopes;
  Slopes magnitudes = nullptr;  // of their terms, where they are sums of them
};
// By broadcasting.
AdjointFunction Binary(const BinaryEntry& entry);

// The elements of input 0 that each element of output 0 is made of.
using Groups = std::vector<std::vector<size_t>>;

// The partial derivatives of one output y by the elements x of its group, in their order.
using GroupSlopes = std::vector<double> (*)(const std::vector<double>& x, double y);
void AddGroups(FiringPartials& firing, const Groups& groups, GroupSlopes slopes);

std::vector<double> OfSum(const std::vector<double>& x, double y);
std::vector<double> OfMean(const std::vector<double>& x, double y);
// The product of all the others.
std::vector<double> OfProduct(const std::vector<double>& x, double y);
// 1, shared out equally among those that are y.
std::vector<double> OfExtreme(const std::vector<double>& x, double y);
std::vector<double> OfNorm(const std::vector<double>& x,
                           double y);  // the root of the sum of squares
std::vector<double> OfLogSumExp(const std::vector<double>& x, double y);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_TAPE_ADJOINT_TABLES_H_
