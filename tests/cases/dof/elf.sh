"$DTRACE" -o a.dof -x linktype=dof -x strip -s "$CASE"
"$PROGS/mkdof" illumos msb ilp32 2 >b.dof
# as a linker joins the sections of two objects, each aligned to 8
cat a.dof >both.dof
truncate -s %8 both.dof
cat b.dof >>both.dof
objcopy --add-section .SUNW_dof=both.dof "$PROGS/known" prog
"$DTRACE" -S -s prog | grep -e ^DOF -e "BEGIN"
"$DTRACE" -s prog
cp "$PROGS/known" plain
"$DTRACE" -S -s plain
printf '\177ELF' >short
"$DTRACE" -S -s short
true
