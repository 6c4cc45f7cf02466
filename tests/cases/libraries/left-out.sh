mkdir lib
cat > lib/a.d <<'END'
#pragma D depends_on module nosuch
inline int mine = 1;
END
"$DTRACE" -q -L lib -n 'BEGIN { trace(mine); }' 2>&1 | grep -o 'D_[A-Z_]*'
