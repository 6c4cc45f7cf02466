for prog in types_dwarf5 types_gctf; do
	echo "$prog:"
	"$DTRACE" -lT 'a.out`struct *' -c "$PROGS/$prog" | tee types
	while read -r type; do
		"$DTRACE" -T "$type" -c "$PROGS/$prog" >shown ||
		    echo "not printed: $type"
	done <types
	"$DTRACE" -lT 'a.out`nosuch*' -c "$PROGS/$prog" 2>&1
	"$DTRACE" -lT "$prog\`enum *" -c "$PROGS/$prog"
done
"$DTRACE" -lT 'a.out`*' -c true 2>&1 | sed 's/: .*: no DWARF.*/: ... no DWARF/'
"$DTRACE" -lT 'nosuch`*' 2>&1
echo end
