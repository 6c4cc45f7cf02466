"$DTRACE" -o prog.dof -x linktype=dof -s "$CASE"
"$DTRACE" -S -s prog.dof | grep -c -e "COMMENTS" -e "UTSNAME" -e "nodename \"$(uname -n)\""
"$DTRACE" -o prog.dof -x linktype=dof -x strip -s "$CASE"
"$DTRACE" -S -s prog.dof | grep -c -e "COMMENTS" -e "UTSNAME" -e "nodename \"$(uname -n)\""
true
