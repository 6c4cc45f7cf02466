mkdir lib
cat > lib/a.d <<'END'
inline int ENOENT = 1000;
END
"$DTRACE" -q -x syslibdir=lib -n 'BEGIN { printf("%d\n", ENOENT); exit(0); }'
"$DTRACE" -q -x syslibdir=nosuch -n 'BEGIN { exit(0); }' 2>&1 | grep -o 'cannot read.*'
