"""C++ as LLVM's bitcode, in a C++ source: what machine code is made of when a program runs."""

load("@llvm//:defs.bzl", "CLANG", _NATIVE_ENABLED = "NATIVE_ENABLED")

# For BUILD files: whether LLVM was found.
NATIVE_ENABLED = _NATIVE_ENABLED

# No contraction, as in the kernels; no errno, which nobody reads. No vectors yet: the loop that a
# body becomes part of is made of vectors as a whole.
_FLAGS = [
    "-std=c++20",
    "-O2",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-slp-vectorize",
    "-fno-vectorize",
    "-fno-exceptions",
    "-Wall",
    "-Werror",
]

# The first three words name the source, the output and its array; the others are Clang and its flags.
_COMMAND = """
set -e
source=$1; output=$2; array=$3; shift 3
"$@" -emit-llvm -c "$source" -o "$output.bc"
{
  echo '#include <cstddef>'
  echo "extern \\"C\\" const unsigned char $array[];"
  echo "extern \\"C\\" const size_t ${array}_size;"
  echo "const unsigned char $array[] = {"
  od -An -v -tx1 "$output.bc" | sed 's/ \\(..\\)/0x\\1,/g'
  echo '};'
  echo "const size_t ${array}_size = sizeof $array;"
} > "$output"
rm "$output.bc"
"""

def _bitcode_source_impl(ctx):
    headers = [dep[CcInfo].compilation_context.headers for dep in ctx.attr.deps]
    output = ctx.actions.declare_file(ctx.label.name + ".cc")
    arguments = ctx.actions.args()
    arguments.add(ctx.file.src)
    arguments.add(output)
    arguments.add(ctx.attr.array)
    arguments.add(CLANG)
    arguments.add_all(_FLAGS)
    arguments.add("-I.")
    arguments.add("-I" + ctx.bin_dir.path)
    ctx.actions.run_shell(
        command = _COMMAND,
        arguments = [arguments],
        inputs = depset([ctx.file.src], transitive = headers),
        outputs = [output],
        mnemonic = "Bitcode",
        progress_message = "Compiling bitcode %s" % ctx.file.src.short_path,
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([output]))]

bitcode_source = rule(
    implementation = _bitcode_source_impl,
    attrs = {
        "array": attr.string(mandatory = True, doc = "the array's name; NAME_size is its size"),
        "deps": attr.label_list(providers = [CcInfo]),
        "src": attr.label(allow_single_file = [".cc"], mandatory = True),
    },
    doc = "A .cc file with an array of bytes: the bitcode of another.",
)
