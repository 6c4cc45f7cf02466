"$DTRACE" -x linktype=dof -s "$CASE" 2>&1
echo "$?"
"$DTRACE" -o x -x linktype=elf -s "$CASE" 2>&1
echo "$?"
"$DTRACE" -o nosuch/x -x linktype=dof -s "$CASE" 2>&1
echo "$?"
