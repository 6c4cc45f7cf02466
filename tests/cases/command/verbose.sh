"$DTRACE" -x verbose -e -n 'BEGIN { exit(0); }' 2>&1 | grep -Eic stability || true
