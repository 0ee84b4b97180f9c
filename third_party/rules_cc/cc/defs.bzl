"""What Bazel 4 and Debian's rule sets load from @rules_cc: the rules built into Bazel."""

cc_library = native.cc_library
cc_binary = native.cc_binary
cc_test = native.cc_test
cc_import = native.cc_import
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
cc_proto_library = native.cc_proto_library
objc_library = native.objc_library

def _nothing_impl(_ctx):
    return []

# Loaded by Bazel's own BUILD files, used by no target of ours.
compiler_flag = rule(implementation = _nothing_impl)
cc_flags_supplier = rule(implementation = _nothing_impl)
