command -v promtool >/dev/null || { echo "promtool (package prometheus) is not installed" >&2; exit 77; }
"$DTRACE" -q -x oformat=prometheus -s "$CASE" | promtool check metrics && echo good
