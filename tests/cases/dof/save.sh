cp "$CASE" here.d
"$DTRACE" -o prog.dof -x linktype=dof -s here.d
echo "saved: $?"
rm here.d
"$DTRACE" -s prog.dof
echo "run: $?"
