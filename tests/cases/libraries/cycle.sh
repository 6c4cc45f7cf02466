mkdir lib
cat > lib/a.d <<'END'
#pragma D depends_on library b.d
inline int aaa = 1;
END
cat > lib/b.d <<'END'
#pragma D depends_on library a.d
inline int bbb = 1;
END
"$DTRACE" -q -L lib -n 'BEGIN { trace(aaa); }' 2>&1 | grep -o 'D libraries.*'
