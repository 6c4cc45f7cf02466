mkdir lib
cat > lib/a.d <<'END'
inline int both[int first, int second] = first + second;
inline int wrong = ;
END
"$DTRACE" -q -x syslibdir=lib -n 'BEGIN { second = 7; trace(second); exit(0); }'
"$DTRACE" -q -x syslibdir=lib -n 'BEGIN { trace(both[1, 2]); }' 2>&1 | grep -c 'lib/a.d'
