#ifndef TAGFLOW_REFERENCE_KERNELS_CANDIDATE_DISTRIBUTIONS_H_
#define TAGFLOW_REFERENCE_KERNELS_CANDIDATE_DISTRIBUTIONS_H_

// What samplers of candidates draw classes from. Equal words make the classes that they make in
// TensorFlow.

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "reference/kernels/philox.h"

namespace tagflow::reference {

class ClassDistribution {
 public:
  virtual ~ClassDistribution() = default;
  virtual int64_t Draw(PhiloxWords& words) const = 0;
  virtual float ProbabilityOf(int64_t value) const = 0;
};

// Every class of [0, range) alike.
class UniformClasses : public ClassDistribution {
 public:
  explicit UniformClasses(int64_t range) : range_(static_cast<uint64_t>(range)) {}
  int64_t Draw(PhiloxWords& words) const override;
  float ProbabilityOf(int64_t value) const override;

 private:
  uint64_t range_;
};

// Class k of [0, range) with probability log((k + 2) / (k + 1)) / log(range + 1).
class LogUniformClasses : public ClassDistribution {
 public:
  explicit LogUniformClasses(int64_t range);
  int64_t Draw(PhiloxWords& words) const override;
  float ProbabilityOf(int64_t value) const override;

 private:
  int64_t range_;
  double log_range_;
};

// Class k as weight k says, by Walker's aliases: class k is drawn with chance[k] where a first
// number fell on it, and else its other class is.
// REQUIRES: weights that are finite and not negative, and so is their sum, which is not 0
class WeightedClasses : public ClassDistribution {
 public:
  explicit WeightedClasses(const std::vector<float>& weights);
  int64_t Draw(PhiloxWords& words) const override;
  float ProbabilityOf(int64_t value) const override;

  // Those that a draw can give: not those of weight 0, nor of too little for any chance.
  std::set<int64_t> Drawable() const;

 private:
  std::vector<float> weights_, chance_;
  std::vector<int64_t> other_;
  float total_ = 0;
};

// Each class of [0, range) weighs 1, and as much more as it was counted.
class CountedClasses : public ClassDistribution {
 public:
  // REQUIRES: `counts`, of classes in the range, outlive this; total() is an int32
  CountedClasses(int64_t range, const std::map<int64_t, int64_t>& counts);
  int64_t total() const { return total_; }
  int64_t Draw(PhiloxWords& words) const override;
  float ProbabilityOf(int64_t value) const override;

 private:
  const std::map<int64_t, int64_t>& counts_;
  int64_t total_;
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_CANDIDATE_DISTRIBUTIONS_H_
