"$DTRACE" -S -e -s "$CASE" >out 2>&1
for what in DIFO OPCODE ldgs ret pid; do
	grep -q "$what" out || echo "no $what"
done
echo $?
