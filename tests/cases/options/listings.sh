exec 2>&1
"$DTRACE" -e -s "$CASE"
"$DTRACE" -e -x verbose=no -n 'BEGIN { trace(1); }'
"$DTRACE" -e -x tree=1 -n 'BEGIN { trace(1); }'
echo "with types:"
"$DTRACE" -e -x tree=2 -n 'BEGIN { trace(1); }'
for bits in 1 8 9; do
	"$DTRACE" -S -x disasm=$bits -n 'BEGIN { trace(1); exit(0); }' >err 2>&1
	echo "$bits: $(grep -c DIFO err) $(grep -c "^BPF program" err)"
done
