run='/bin/sh -c "/bin/true; exit 0"'
id_in() { awk -v name="$1" '$2 == "proc" && $3 == name { print $1 }'; }
is() { [ -n "$1" ] && [ "$1" = "$2" ] && echo same || echo "'$1' '$2'"; }

id=$("$DTRACE" -l -n proc:::exec-success | id_in exec-success)
is "$id" "$("$DTRACE" -qn 'proc:::exec-success { trace(id); exit(0); }' -c "$run")"
# the default action prints it
"$DTRACE" -n proc:::exec-success -c "$run" 2> /dev/null > traced
is "$id" "$(awk '$3 == ":exec-success" { print $2 }' traced | sort -u)"
id=$("$DTRACE" -l | id_in exec-success)
is "$id exec-success" "$("$DTRACE" -qi $id'{ printf("%d %s", id, probename); exit(0); }' -c "$run")"
"$DTRACE" -l -i $id | sed 1d | id_in exec-success | grep -cx $id
