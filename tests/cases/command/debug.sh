steps() {
	sed -En -e 's/^dtrace: debug: +[0-9]+\.[0-9]{3} ms: //p' err |
	    grep -E "^(option|compiled|tracing|stopping|all is)" |
	    sed "s|[^ ]*/||; s|: [0-9]* clauses||"
}
"$DTRACE" -x debug -x quiet=on -s "$CASE" 2>err
echo " $?"
steps
DTRACE_DEBUG= "$DTRACE" -q -s "$CASE" 2>err
echo " $?"
steps
DTRACE_DEBUG= "$DTRACE" -q -x debug=off -s "$CASE" 2>err
echo " $?"
echo "$(grep -c "option debug" err) $(grep -c tracing err)"
"$DTRACE" -q -s "$CASE" 2>err
echo " $?"
echo "$(grep -c debug err)"
