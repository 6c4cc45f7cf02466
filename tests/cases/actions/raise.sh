# The program ends with the number of signals it saw.
cat >run <<'END'
"$PROGS/known" signal
echo $?
END
sed "s/pid == .target && //" "$CASE" >any.d
"$DTRACE" -q -w -c "bash run" -s any.d
