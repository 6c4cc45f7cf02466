cat >run <<'END'
(exit 3)
(kill -9 $BASHPID)
exit 5
END
"$DTRACE" -q -s "$CASE" -c "bash run" 2>err
