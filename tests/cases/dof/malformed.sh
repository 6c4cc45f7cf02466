"$DTRACE" -o prog.dof -x linktype=dof -x strip -s "$CASE"
head -c 100 prog.dof >cut.dof
"$DTRACE" -s cut.dof
"$DTRACE" -S -s cut.dof
# the type of section 1's header: DIF, made a VARTAB
{ head -c 96 prog.dof; printf '\11'; tail -c +98 prog.dof; } >type.dof
"$DTRACE" -s type.dof
cat prog.dof prog.dof >twice.dof
"$DTRACE" -s twice.dof
"$DTRACE" -s prog.dof -n BEGIN
"$DTRACE" -n BEGIN -s prog.dof
true
