# bytes that a text file should not have
sed 's/character:  /character: \x01, and a byte \xff, /' "$CASE" >script.d
"$DTRACE" -q -x oformat=prometheus -o out.prom -s script.d
grep HELP out.prom
# the same program without its source
"$DTRACE" -x linktype=dof -o prog.dof -s script.d
"$DTRACE" -q -x oformat=prometheus -s prog.dof 2>/dev/null | grep 'HELP.*next'
