# 60 clauses are too many for one program with those of the library.
{
	cat "$CASE"
	for i in $(seq 60); do
		echo "vminfo:::as_fault /self->on/ { as$i++; }"
		echo "vminfo:::prot_fault /self->on/ { prot$i++; }"
		echo "vminfo:::cow_fault /self->on/ { cow$i++; }"
	done
	for i in $(seq 60); do
		echo "END { printf(\"%d %d %d\\n\", as$i, prot$i, cow$i); }"
	done
} >script.d
"$DTRACE" -q -s script.d -c "$PROGS/kernel copied 3" | sed '/^$/d' | uniq -c | xargs
