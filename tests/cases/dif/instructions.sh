# run NAME: the objects of standard input, in order
run() {
	"$PROGS/mkdif" >$1.dof && "$DTRACE" -q -s $1.dof
}

# arithmetic OP: -29 OP 4
arithmetic() {
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		setx 0xffffffffffffffe3, %r1
		setx 4, %r2
		$1 %r1, %r2, %r3
		ret %r3
	EOF
}
for op in or xor and sll srl sra sub add mul sdiv udiv srem urem; do
	arithmetic $op
done | run arithmetic

# load OP: of the bytes 88 87 86 85 84 83 82 81
load() {
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		setx 8, %r1
		allocs %r1, %r2
		setx 0x8182838485868788, %r1
		stx %r1, [%r2]
		$1 [%r2], %r3
		ret %r3
	EOF
}
for op in ldsb ldsh ldsw ldub lduh lduw ldx \
    rldsb rldsh rldsw rldub rlduh rlduw rldx; do
	load $op
done | run loads

# the tuple stack: nop leaves it alone, popts takes one, flushts all
run tuples <<'EOF'
DIFO returns D type (integer) (size 8)
	setx 0x500003, %r1
	pushtv DT_TYPE(0), %r0, %r1
	nop
	call getmajor, %r3
	ret %r3
DIFO returns D type (integer) (size 8)
	setx 0x500003, %r1
	setx 0x700003, %r2
	pushtv DT_TYPE(0), %r0, %r1
	pushtv DT_TYPE(0), %r0, %r2
	popts
	call getmajor, %r3
	ret %r3
DIFO returns D type (integer) (size 8)
	setx 0x500003, %r1
	setx 0x700003, %r2
	pushtv DT_TYPE(0), %r0, %r1
	flushts
	pushtv DT_TYPE(0), %r0, %r2
	call getmajor, %r3
	ret %r3
EOF

# built-in arrays: args[0] of BEGIN is 0; no thread has one
for op in 'ldga args, %r1, %r2' 'ldta 0, %r1, %r2'; do
	run array 2>&1 <<-EOF
	DIFO returns D type (integer) (size 8)
		setx 0, %r1
		$op
		ret %r2
	EOF
done
