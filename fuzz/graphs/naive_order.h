#ifndef TAGFLOW_FUZZ_GRAPHS_NAIVE_ORDER_H_
#define TAGFLOW_FUZZ_GRAPHS_NAIVE_ORDER_H_

// Which firings of a run come before which ([order.1]), and which of them race ([race.1]): put down
// by the naive executor as it goes, and worked out when the run is over.
//
// Cost: the square of the firings, in bits, for a run that has touches in conflict.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace tagflow::fuzz {

// Of something that keeps its value from one firing to another.
struct NaiveTouch {
  std::string object;
  std::string part = "";  // "": all of it
  bool writes = false;
};

class NaiveOrder {
 public:
  // What happens at the tag comes after the moments named (negative: the feeds, and not one).
  // Returns the number of the moment.
  int Add(std::string node, std::string tag, std::vector<int> after);
  // The moment comes after one of these, and nothing says which; some may be yet to come.
  void SetAnyOf(int moment, std::vector<int> any_of);
  // The end of all that happens at tags that begin so, and of the moments named.
  int AddEnd(const std::string& tags, std::vector<int> after);
  void SetTouches(int moment, std::vector<NaiveTouch> touches);

  // "a@t and b@u", by name, of each two firings that touch one part, one of them writing, and of
  // which neither comes before the other.
  std::set<std::string> Races() const;

 private:
  struct Moment {
    std::string node;  // "": an end
    std::string tag;
    std::vector<int> after;
    std::vector<NaiveTouch> touches;
    std::vector<int> any_of = {};
  };
  using Bits = std::vector<uint64_t>;

  std::vector<Bits> Earlier() const;
  Bits EarlierOf(const Moment& moment, const std::vector<Bits>& earlier) const;

  std::vector<Moment> moments_;
};

// As Races names two firings, each "node@tag".
std::string NaivePair(const std::string& a, const std::string& b);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_NAIVE_ORDER_H_
