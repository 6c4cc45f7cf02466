run="${CASE%/*}/../../live/recording-1.0.dtr"
"$DTRACE" -q -r "$run" -s "$CASE"
"$DTRACE" -r "$run" -lv >list
echo "status $?"
awk '$2 == "syscall" { print $4, $5 }' list
