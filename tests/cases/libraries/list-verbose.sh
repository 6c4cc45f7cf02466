cat > s.d <<'END'
BEGIN { }
END
"$DTRACE" -lv -s s.d -n proc:::create,proc:::exec | grep -o 'proc  .*\|args\[.*'
