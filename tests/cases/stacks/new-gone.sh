cat >run <<END
cp "$PROGS/chain" newgone
kill -STOP \$PPID
./newgone 3
rm newgone
kill -CONT \$PPID
mkdir deep
cp "$PROGS/chain" deep/newgone
deep/newgone 2000
END
# a copy has 12 to 16 KB behind the stack pointer, a frame 96 bytes
"$DTRACE" -q -c "sh run" -s "$CASE" | awk '
	/\[cut\]/ { print $1, n < 128 ? n : n <= 172 ? "about 150" : n }
	/newgone/ { n++ }
	NF == 0 { n = 0 }'
