# One address between code and data, and almost the last address of all.
end=$(awk '$3 == "_etext" { print $1; exit }' /proc/kallsyms)
"$DTRACE" -q -s "$CASE" "0x$end" 0xfffffffffffffff0 |
	sed "s/$end/ETEXT/g"
