#include "fuzz/command/listing.h"

#include <algorithm>
#include <vector>

#include "fuzz/generate/profile.h"
#include "fuzz/harness/registry.h"
#include "fuzz/mutants/mutants.h"

namespace tagflow::fuzz {
namespace {

struct Row {
  std::string name;
  std::string about;
};

std::string Table(const std::string& title, const std::vector<Row>& rows) {
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  std::string text = title + ":\n";
  for (const Row& row : rows) {
    text += "  " + row.name + std::string(width - row.name.size() + 2, ' ') + row.about + "\n";
  }
  return text;
}

}  // namespace

std::string Listing() {
  std::vector<Row> properties, profiles, mutants;
  for (const Property& property : AllProperties()) {
    properties.push_back({property.name, property.about});
  }
  for (const Profile& profile : Profiles()) profiles.push_back({profile.name, profile.about});
  for (const Mutant& mutant : Mutants()) {
    mutants.push_back({std::string(mutant.name), std::string(mutant.about)});
  }
  return Table("properties", properties) + Table("profiles", profiles) + Table("mutants", mutants);
}

}  // namespace tagflow::fuzz
