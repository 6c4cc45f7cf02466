# The program ends with the number of signals it saw.
cat >run <<'END'
"$PROGS/known" signal
echo $?
END
"$DTRACE" -q -w -c "bash run" -s "$CASE"
