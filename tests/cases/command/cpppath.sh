cat >mycpp <<'END'
#!/bin/sh
cat >/dev/null
echo 'BEGIN { trace("mine"); exit(0); }'
END
chmod +x mycpp
"$DTRACE" -q -x cpp -x cpppath=./mycpp -s "$CASE"
echo
