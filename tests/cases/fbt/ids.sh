all=$("$DTRACE" -l -P fbt)
one=$("$DTRACE" -l -s "$CASE" | awk 'NR == 2 { print $1 }')
"$DTRACE" -l -i "$one" | awk 'NR == 2 { print $2, $3, $4, $5 }'
echo "$all" | awk -v one="$one" '
    NR > 1 && $4 == "vfs_read" && $5 == "return" { print $1 == one }
    NR > 1 { ids[$1]++; probes[$3 " " $4 " " $5]++; n++ }
    END { print length(ids) == n, length(probes) == n, (n > 10000) }'
