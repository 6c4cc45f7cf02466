# The dictionaries are those of tests/unit/ctf_make.h, as fuzz/corpus keeps them.
corpus=$(dirname "$CASE")/../../../fuzz/corpus/ctf
ctfdump=$(dirname "$DTRACE")/ctfdump
"$ctfdump" "$corpus"/v2
"$ctfdump" "$corpus"/v2 >big
"$ctfdump" "$corpus"/v2-be-z >little
diff big little | grep '^[<>]'
"$ctfdump" -h "$corpus"/gnu-be
"$ctfdump" -d -f "$corpus"/gnu
# every type is the same in each format and byte order; slices are GNU's own
"$ctfdump" -t "$corpus"/v2 >types
for other in v3 v3-be v3-z gnu gnu-be gnu-z; do
	echo "$other:"
	"$ctfdump" -t "$corpus/$other" | diff types - | grep '^[<>]'
done
"$ctfdump" -l "$corpus"/v3
"$ctfdump" -h "$corpus"/archive | grep -e dictionary -e parname
head -c 100 "$corpus"/v2 >cut
"$ctfdump" cut; echo "status $?"
"$ctfdump" /bin/true; echo "status $?"
"$ctfdump" -q 2>/dev/null; echo "status $?"
