"$DTRACE" -o prog.dof -x linktype=dof -s "$CASE"
echo "saved: $?"
"$DTRACE" -q -s prog.dof
"$DTRACE" -q -w -s prog.dof
"$DTRACE" -l -s prog.dof | awk '{ print $NF }'
"$DTRACE" -e -v -s prog.dof | grep -c "Stable"
