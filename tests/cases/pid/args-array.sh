"$PROGS/calls" counts once 1000000000 &
pid=$!
for i in 0 1 2 3 4 5 6 7 8 9 10 0xffffffffffffffff; do
	cat <<-EOF
	DIFO returns D type (integer) (size 8)
		setx $i, %r1
		ldga args, %r1, %r2
		ret %r2
	EOF
done | "$PROGS/mkdif" pid$pid a.out fn_args entry >array.dof
$DTRACE -q -s array.dof | head -12
kill $pid
