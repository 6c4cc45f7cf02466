# A small C program; C++ from the fuzz corpus.
convert=$(dirname "$DTRACE")/ctfconvert
dump=$(dirname "$DTRACE")/ctfdump
cat >a.c <<'EOF'
struct point { int x, y; } origin;
static long count = 1;
int main(int argc, char **argv)
{
	union { int i; float f; } *local = 0;
	return local == 0 ? count - argc + origin.x : local->i;
}
EOF
gcc -g -o a a.c
"$convert" -l first -o b a && ./b && "$dump" -l b | grep first
"$dump" -d -f b | grep -e origin -e count -e main | sed 's/\[[0-9]*\]//; s/[0-9][0-9]*/N/g'
# types of local variables that have no name are left out
"$dump" -t b | grep -c UNION
"$convert" -r -z -o c a && "$dump" -h c | grep -e flags -e version
"$convert" -r -3 -o c a && "$dump" -h c | grep -e flags -e version
"$convert" -v -o d.o "$(dirname "$CASE")"/../../../fuzz/corpus/dwarf/cpp-o
# in place, the mode of the file is kept
chmod 751 a
"$convert" a && ./a && stat -c %a a
"$convert" /bin/true -o e; echo "status $?"
"$convert" a.c -o e; echo "status $?"
"$convert" no_such_file -o e; echo "status $?"
"$convert" -r a 2>/dev/null; echo "status $?"
[ -e e ] || echo "nothing was written"
