cat > s.d <<'END'
#pragma D option verbose
BEGIN { }
END
"$DTRACE" -l -s s.d -n proc:::create,proc:::exec | grep -o 'proc  .*\|args.*'
