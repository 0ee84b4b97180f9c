"""LLVM's bitcode in C++ sources: what machine code is made of when a program runs."""

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

# Bash: write_array FILE OUTPUT ARRAY writes a C++ source with an array of a file's bytes.
_WRITE_ARRAY = """
set -e
write_array() {
  local file=$1 array=$3
  {
    echo '#include <cstddef>'
    echo "extern \\"C\\" const unsigned char $array[];"
    echo "extern \\"C\\" const size_t ${array}_size;"
    echo "const unsigned char $array[] = {"
    od -An -v -tx1 "$file" | sed 's/ \\(..\\)/0x\\1,/g'
    # C++ has no array of no bytes.
    echo '0};'
    echo "const size_t ${array}_size = sizeof $array - 1;"
  } > "$2"
}
"""

# The first three words name the source, the output and its array; the others are Clang and its flags.
_COMMAND = _WRITE_ARRAY + """
source=$1; output=$2; array=$3; shift 3
"$@" -emit-llvm -c "$source" -o "$output.bc"
write_array "$output.bc" "$output" "$array"
rm "$output.bc"
"""

# The third word is the file, or there is none.
_COMMAND_OF_FILE = _WRITE_ARRAY + """
write_array "${3:-/dev/null}" "$1" "$2"
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

def _bytes_source_impl(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".cc")
    arguments = ctx.actions.args()
    arguments.add(output)
    arguments.add(ctx.attr.array)
    arguments.add_all(ctx.files.src)
    ctx.actions.run_shell(
        command = _COMMAND_OF_FILE,
        arguments = [arguments],
        inputs = ctx.files.src,
        outputs = [output],
        mnemonic = "Bytes",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([output]))]

bytes_source = rule(
    implementation = _bytes_source_impl,
    attrs = {
        "array": attr.string(mandatory = True, doc = "the array's name; NAME_size is its size"),
        "src": attr.label(mandatory = True, doc = "one file, or none: then the array is empty"),
    },
    doc = "A .cc file with an array of a file's bytes.",
)
