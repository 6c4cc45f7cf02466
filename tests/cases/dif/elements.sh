# run NAME: the objects of standard input, in order
run() {
	"$PROGS/mkdif" >$1.dof && "$DTRACE" -q -s $1.dof 2>&1
}

x='NAME             ID   KND SCP FLAG TYPE
x                500  arr glb rw   D type (struct) by ref (size 16)
y                501  arr glb rw   string (unknown) by ref (size 256)
z                502  arr tls rw   D type (struct) by ref (size 12)
p                503  scl glb rw   D type (integer) (size 8)
w                504  scl tls rw   D type (struct) by ref (size 16)
'

# load KEY OFFSET: eight bytes of x[KEY], found anew
load() {
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		setx $1, %r1
		pushtv DT_TYPE(0), %r0, %r1
		ldgaa 0x500, %r2
		setx $2, %r3
		add %r2, %r3, %r2
		ldx [%r2], %r3
		ret %r3

	$x
	EOF
}

# fresh KEY: x[KEY] is 16 zeroes, and its address in p; falls through to what
# follows, with the address in %r2
fresh() {
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		setx 16, %r1
		allocs %r1, %r2
		setx $1, %r1
		pushtv DT_TYPE(0), %r0, %r1
		stgaa %r2, 0x500
		ldgaa 0x500, %r2
		stgs %r2, 0x503
	EOF
}

# each width, at the element's beginning and inside
for op in stb sth stw stx; do
	fresh 1
	cat <<-EOF
		setx 0x8182838485868788, %r1
		$op %r1, [%r2]
		setx 8, %r3
		add %r2, %r3, %r3
		$op %r1, [%r3]
		ldx [%r2], %r4
		ret %r4

	$x
	EOF
	load 1 0
	load 1 8
done | run widths

# an address that another object kept; and it stays when the element gets a new
# value
{
	fresh 2
	printf '\tret %%r0\n\n%s\n' "$x"
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		ldgs 0x503, %r2
		setx 77, %r1
		stx %r1, [%r2]
		setx 16, %r1
		allocs %r1, %r3
		setx 88, %r1
		stx %r1, [%r3]
		setx 2, %r1
		pushtv DT_TYPE(0), %r0, %r1
		ldgaa 0x500, %r4
		ldx [%r4], %r4
		stgaa %r3, 0x500
		ldx [%r2], %r2
		sll %r4, %r1, %r4
		add %r2, %r4, %r2
		ret %r2

	$x
	EOF
} | run kept

# copys and bcopy() to an element, from a string
for how in 'setx 4, %r4
	copys %r3, %r4, %r2' 'setx 4, %r4
	flushts
	pushtv DT_TYPE(0), %r0, %r3
	pushtv DT_TYPE(0), %r0, %r2
	pushtv DT_TYPE(0), %r0, %r4
	call bcopy, %r5'; do
	fresh 3
	cat <<-EOF
		setx 10, %r1
		add %r2, %r1, %r2
		sets "abcd", %r3
		$how
		ret %r0

	$x
	EOF
	load 3 8
done | run copies

# a string, and an element of this thread
run others <<EOF
DIFO returns D type (integer) (size 8)
	sets "abcd", %r1
	pushtr DT_TYPE(1), %r0, %r1
	stgaa %r1, 0x501
	ldgaa 0x501, %r2
	setx 2, %r3
	add %r2, %r3, %r3
	setx 0x58, %r4
	stb %r4, [%r3]
	lduw [%r2], %r2
	ret %r2

$x
DIFO returns D type (integer) (size 8)
	setx 12, %r1
	allocs %r1, %r2
	pushtr DT_TYPE(0), %r1, %r2
	sttaa %r2, 0x502
	ldtaa 0x502, %r3
	setx 8, %r1
	add %r3, %r1, %r3
	setx 4711, %r1
	stw %r1, [%r3]
	ldtaa 0x502, %r3
	setx 8, %r1
	add %r3, %r1, %r3
	lduw [%r3], %r3
	ret %r3

$x
EOF

# beyond the element's end, before its beginning, none, and one that is gone
for where in 'setx 16, %r1
	add %r2, %r1, %r2' 'setx 8, %r1
	sub %r2, %r1, %r2' 'mov %r0, %r2' 'stgaa %r0, 0x500'; do
	{
		fresh 4
		cat <<-EOF
		$where
		stx %r0, [%r2]
		ret %r0

		$x
		EOF
	} | run bad
done
# a copy that the element is too short for
{
	fresh 5
	cat <<-EOF
		sets "abcdefghijklmnopqrstuvwxyz", %r3
		setx 17, %r4
		copys %r3, %r4, %r2
		ret %r0

	$x
	EOF
} | run long
# what the substrate keeps before a thread's variables
{
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		setx 16, %r1
		allocs %r1, %r2
		stts %r2, 0x504
		ldts 0x504, %r2
		sub %r2, %r1, %r2
		stx %r1, [%r2]
		ret %r0

	$x
	EOF
} | run before
