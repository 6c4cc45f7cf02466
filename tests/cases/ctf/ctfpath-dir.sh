# Two files of types, made of D declarations.
mkdir types
"$DTRACE" -q -x dtypes=types/vmlinux.ctf \
    -n 'struct only_kernel { int a[3]; }; BEGIN { exit(0); }'
"$DTRACE" -q -x dtypes=types/mod.ctf \
    -n 'struct only_mod { int a[5]; }; BEGIN { exit(0); }'
"$DTRACE" -q -x ctfpath=types -s "$CASE"
