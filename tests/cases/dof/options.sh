"$DTRACE" -q -o prog.dof -x linktype=dof -x strip -x strsize=8 \
    -x encoding=ascii -x cpppath=none -s "$CASE"
"$DTRACE" -S -s prog.dof | sed -n '/OPTDESC/,/^$/p; /X_OPTION/,/^$/p' |
    grep -v ^SECTION
"$DTRACE" -s prog.dof
