cp "$CASE" here.d
"$DTRACE" -o prog.dof -x linktype=dof -s here.d
echo "saved: $?"
rm here.d
"$DTRACE" -s prog.dof 2>/dev/null | sed 's/^         0: .. ..  *..$/         0: two bytes/'
cat out.1
