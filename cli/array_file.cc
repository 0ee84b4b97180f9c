#include "cli/array_file.h"

#include <algorithm>
#include <vector>

#include "cli/file.h"
#include "cli/npy.h"
#include "cli/zip.h"
#include "graph/io/file_kind.h"

namespace tagflow::cli {
namespace {

constexpr std::string_view kNpy = ".npy";
constexpr std::string_view kNpz = ".npz";

// "a" of the member "a.npy".
std::string ArrayOf(const ZipMember& member) {
  const std::string& name = member.name;
  return name.ends_with(kNpy) ? name.substr(0, name.size() - kNpy.size()) : name;
}

std::string Listed(const std::vector<ZipMember>& members) {
  constexpr size_t kShown = 20;
  std::string names;
  for (size_t i = 0; i < std::min(members.size(), kShown); ++i) {
    names += (i == 0 ? "'" : ", '") + ArrayOf(members[i]) + "'";
  }
  return names + (members.size() > kShown ? ", …" : "");
}

Result<ZipMember> Choose(const std::vector<ZipMember>& members, const ArrayName& name) {
  if (members.empty()) return NotFound("it holds no arrays");
  if (name.array.empty()) {
    if (members.size() == 1) return members.front();
    return InvalidArgument("it holds " + std::to_string(members.size()) + " arrays, " +
                           Listed(members) + ": name one, as " + name.path + ":" +
                           ArrayOf(members.front()));
  }
  for (const ZipMember& member : members) {
    if (ArrayOf(member) == name.array || member.name == name.array) return member;
  }
  return NotFound("it holds no array '" + name.array + "', but " + Listed(members));
}

Result<Tensor> FromBytes(std::string_view bytes, const ArrayName& name) {
  if (!IsZip(bytes)) {
    if (!IsNpy(bytes)) {
      if (const auto kind = OtherKindOf(bytes)) {
        return InvalidArgument("it is " + kind->name + ", and no array of NumPy");
      }
    }
    if (!name.array.empty()) {
      return InvalidArgument("it holds one array without a name, and no '" + name.array + "'");
    }
    return NpyFromBytes(bytes);
  }
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<ZipMember> members, ZipMembers(bytes));
  TAGFLOW_ASSIGN_OR_RETURN(const ZipMember member, Choose(members, name));
  TAGFLOW_ASSIGN_OR_RETURN(const std::string unpacked, ReadZipMember(bytes, member));
  Result<Tensor> tensor = NpyFromBytes(unpacked);
  if (tensor.ok()) return tensor;
  return Status(tensor.status().code(),
                "'" + member.name + "': " + std::string(tensor.status().message()));
}

}  // namespace

std::optional<ArrayName> AsArrayFile(std::string_view value) {
  if (value.ends_with(kNpy) || value.ends_with(kNpz)) return ArrayName{std::string(value), ""};
  const size_t end = value.find(".npz:");
  if (end == value.npos) return std::nullopt;
  return ArrayName{std::string(value.substr(0, end + kNpz.size())),
                   std::string(value.substr(end + kNpz.size() + 1))};
}

Result<Tensor> ReadArray(const ArrayName& name) {
  TAGFLOW_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(name.path));
  Result<Tensor> tensor = FromBytes(bytes, name);
  if (tensor.ok()) return tensor;
  return Status(tensor.status().code(), "'" + name.path + "': " + tensor.status().message());
}

}  // namespace tagflow::cli
