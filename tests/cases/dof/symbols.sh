"$DTRACE" -o prog.dof -x linktype=dof -x strip -s "$CASE"
"$DTRACE" -S -s prog.dof | grep vfs_read | sort -u
"$DTRACE" -q -s prog.dof
# as another system writes it
"$PROGS/mkdof" 'vmlinux`vfs_write' lsb lp64 2 >krel.dof
"$DTRACE" -q -s krel.dof
"$PROGS/mkdof" 'genunix`nosuch_symbol' lsb lp64 2 >krel.dof
"$DTRACE" -q -s krel.dof
true
