"$PROGS/mkdof" all msb ilp32 3 >big.dof
"$DTRACE" -S -s big.dof
"$PROGS/mkdof" all lsb lp64 2 >little.dof
"$DTRACE" -S -s little.dof >little.txt
"$DTRACE" -S -s big.dof | diff - little.txt
"$DTRACE" -s big.dof
"$DTRACE" -s little.dof
true
