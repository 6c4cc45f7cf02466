"$DTRACE" -o prog.dof -x linktype=dof -s "$CASE"
echo "saved: $?"
"$DTRACE" -s prog.dof 2>err
echo "run: $?"
grep -c "nosuch:::probe does not match any probes" err
"$DTRACE" -q -Z -s prog.dof -c true
echo "run with -Z: $?"
