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
"$DTRACE" -q -L lib -n 'BEGIN { printf("%d\n", one); exit(0); }'
"$DTRACE" -q -x libdir=lib -n 'BEGIN { tally = BLUE; printf("%d\n", tally); exit(0); }'
"$DTRACE" -q -L lib -n 'BEGIN { this->p = xlate <pair_t> (7); printf("%d %s\n", this->p.first, this->p.second); exit(0); }'
"$DTRACE" -q -L lib -n 'BEGIN { printf("%d\n", sizeof (pair_t)); exit(0); }'
