mkdir lib
cat > lib/a.d <<'END'
#pragma D depends_on module nosuch
inline int mine = 1;
END
# a provider without a probe here, and one that is there
cat > lib/b.d <<'END'
#pragma D depends_on provider mib
inline int theirs = 2;
END
cat > lib/c.d <<'END'
#pragma D depends_on provider sched
inline int ours = 3;
END
"$DTRACE" -q -L lib -n 'BEGIN { trace(mine); }' 2>&1 | grep -o 'D_[A-Z_]*'
"$DTRACE" -q -L lib -n 'BEGIN { trace(theirs); }' 2>&1 | grep -o 'D_[A-Z_]*'
"$DTRACE" -q -L lib -n 'BEGIN { printf("%d", ours); exit(0); }'
