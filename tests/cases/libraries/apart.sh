mkdir lib
cat > lib/a.d <<'END'
typedef struct pair { int first; string second; } pair_t;
inline int limit = 5;
END
cat > lib/b.d <<'END'
#pragma D depends_on library a.d
translator pair_t < int n > { first = n; second = n > limit ? "many" : "few"; };
END
cat > lib/c.d <<'END'
#pragma D depends_on library b.d
inline pair_t three = xlate <pair_t> (3);
END
# names before what they depend on, and behind it
for order in 'a b c' 'c a b' 'b c a'; do
	set -- $order
	mkdir lib2
	sed -e "s/b\.d/$2.d/" -e "s/a\.d/$1.d/" lib/a.d > lib2/$1.d
	sed -e "s/a\.d/$1.d/" lib/b.d > lib2/$2.d
	sed -e "s/b\.d/$2.d/" lib/c.d > lib2/$3.d
	"$DTRACE" -q -L lib2 -n 'BEGIN { this->p = xlate <pair_t> (7);
		printf("%d %s\n", this->p.first, this->p.second); exit(0); }'
	"$DTRACE" -q -L lib2 -n 'BEGIN {
		printf("%s\n", xlate <struct pair> (2).second); exit(0); }'
	"$DTRACE" -q -L lib2 -n 'BEGIN { printf("%s\n", three.second); exit(0); }'
	"$DTRACE" -q -L lib2 -n 'BEGIN { printf("%d\n", limit); exit(0); }'
	rm -r lib2
done
# each in a directory of its own
mkdir x y z
mv lib/a.d x
mv lib/b.d y
mv lib/c.d z
"$DTRACE" -q -L z -L y -L x -n 'BEGIN {
	printf("%s %s\n", xlate <pair_t> (9).second, three.second); exit(0); }'
