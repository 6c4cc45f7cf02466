mkdir lib
cat > lib/a.d <<'END'
inline int mine = 1;
BEGIN { trace(1); }
END
"$DTRACE" -q -L lib -n 'BEGIN { trace(mine); }'
