#include "fuzz/generate/profile.h"

namespace tagflow::fuzz {
namespace {

Profile Named(std::string name, std::string about) {
  Profile profile;
  profile.name = std::move(name);
  profile.about = std::move(about);
  return profile;
}

Profile Default() { return Named("default", "a bit of everything"); }

Profile Tiny() {
  Profile profile = Named("tiny", "a handful of statements, for many programs a second");
  profile.statements = 6;
  profile.depth = 2;
  profile.firings = 400;
  profile.max_trips = 4;
  profile.max_runs = 1;
  return profile;
}

Profile Deep() {
  Profile profile = Named("deep", "conds and loops in one another, up to six deep");
  profile.statements = 45;
  profile.depth = 6;
  profile.max_trips = 5;
  profile.cond = kSometimes;
  profile.loop = kEvenly;
  return profile;
}

Profile Effects() {
  Profile profile = Named("effects", "variables read and assigned in branches and bodies");
  profile.effects = kMostly;
  profile.loop = kEvenly;
  profile.control_edges = kSometimes;
  profile.arrays = profile.stacks = kRarely;
  return profile;
}

Profile Arrays() {
  Profile profile = Named("arrays", "arrays and stacks, written and read in loops and branches");
  profile.arrays = kEvenly;
  profile.stacks = kEvenly;
  profile.effects = kRarely;
  return profile;
}

Profile Gradient() {
  Profile profile = Named("gradient", "a smooth double of double inputs, to be differentiated");
  profile.statements = 18;
  profile.firings = 2500;
  profile.max_trips = 8;
  profile.max_runs = 1;
  profile.effects = kNever;
  profile.shape_changes = kRarely;
  profile.control_edges = kRarely;
  profile.differentiable = true;
  return profile;
}

Profile Smooth() {
  Profile profile = Gradient();
  profile.name = "smooth";
  profile.about = "as gradient, without stacks, which graphs have no gradient of";
  profile.stacks = kNever;
  profile.arrays = kEvenly;
  return profile;
}

Profile Stops() {
  Profile profile = Gradient();
  profile.name = "stops";
  profile.about = "as gradient, with StopGradient here and there";
  profile.stop_gradients = true;
  return profile;
}

Profile Specials() {
  Profile profile = Named("specials", "NaN, infinities, subnormals, the ends of the integers");
  profile.specials = true;
  return profile;
}

Profile Tensors() {
  Profile profile = Named("tensors", "arithmetic on tensors, some of more than a few elements");
  profile.tensors = true;
  profile.statements = 25;
  profile.case_ = kSeldom;
  profile.firings = 2000;
  profile.max_trips = 8;
  return profile;
}

Profile Exact() {
  Profile profile = Named("exact", "only operations that every engine rounds alike");
  profile.exact = true;
  return profile;
}

Profile Long() {
  Profile profile = Named("long", "loops of many iterations");
  profile.statements = 15;
  profile.depth = 2;
  profile.firings = 200000;
  profile.max_trips = 3000;
  profile.loop = kEvenly;
  return profile;
}

}  // namespace

const std::vector<Profile>& Profiles() {
  static const std::vector<Profile> profiles = {
      Default(), Tiny(),  Deep(),     Effects(), Arrays(), Gradient(),
      Smooth(),  Stops(), Specials(), Tensors(), Exact(),  Long(),
  };
  return profiles;
}

Result<Profile> ProfileOf(std::string_view name) {
  std::string names;
  for (const Profile& profile : Profiles()) {
    if (profile.name == name) return profile;
    names += (names.empty() ? "" : ", ") + profile.name;
  }
  return NotFound("no profile '" + std::string(name) + "'; there are " + names);
}

}  // namespace tagflow::fuzz
