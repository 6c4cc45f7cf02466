# For cases whose program has helpers that do what they must not; sourced by
# their .sh.  try NAME CODE makes a program with the helper CODE and runs $CASE
# on it; run does so with the last such program.
src=$CASES/../prog/helped.c
run() {
	# drops are reported when they are seen, before or after the record
	"$DTRACE" -q -c "./hostile 1" -s "$CASE" 2>errors | cat - errors |
	    grep -v -e leaf -e '^ *0x' -e '^$' | sed -e "s,$PWD,.," -e 's/0x[0-9a-f]*: DOF/NUMBER: DOF/' -e "s/is [0-9]*, more than the file's [0-9]*/is SIZE, more than the file's/"
}
try() {
	echo "dtrace:helper:ustack: { $2 }" >h.d
	"$DTRACE" -G -s h.d -o h.o && cc -O1 "$src" h.o -o hostile || exit 1
	echo "--- $1"
	run
}
