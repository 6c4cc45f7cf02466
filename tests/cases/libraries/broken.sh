mkdir lib
cat > lib/a.d <<'END'
#pragma D depends_on library b.d
inline int one = two - 1;
typedef struct pair { int first; string second; } pair_t;
translator pair_t < int n > { first = n; second = n > 1 ? "many" : "one"; };
END
cat > lib/b.d <<'END'
inline int two = 2;
enum color { RED, GREEN = 5, BLUE };
int tally;
END
cat > lib/broken.d <<'END'
inline int broken = ;
END
"$DTRACE" -q -L lib -n 'BEGIN { trace(broken); }' 2>&1 | head -2 | sed 's|.*lib/|lib/|'
