#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Explore one fuzz target with clang's libFuzzer, starting from its corpus.
# New inputs go to build-fuzz/; a crash found becomes a file of fuzz/corpus/.
#
#	fuzz.sh TARGET [SECONDS]	TARGET: the x of a fuzz/fuzz_x.c

set -eu
cd "$(dirname "$0")/.."
target=$1

[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz \
    -Db_sanitize=address,undefined -Db_lundef=false -Dwerror=false \
    -Dc_args=-fsanitize=fuzzer-no-link
ninja -C build-fuzz libref.a libdt.a
clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Isrc \
    "fuzz/fuzz_$target.c" build-fuzz/libref.a build-fuzz/libdt.a \
    $(pkg-config --libs libbpf libelf liblzma libzstd zlib) \
    -o "build-fuzz/fuzz_$target"
mkdir -p "build-fuzz/found/$target"
exec "build-fuzz/fuzz_$target" -max_total_time="${2:-0}" \
    -artifact_prefix="build-fuzz/" "build-fuzz/found/$target" \
    "fuzz/corpus/$target"
