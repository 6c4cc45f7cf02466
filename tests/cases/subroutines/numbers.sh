"$DTRACE" -q -s "$CASE" --dump=bpf >dump 2>&1 || grep dtrace: dump
awk '
function tell() { if (name) print name ":", claims; name = "" }
/; clause at / { tell(); claims = "claims nothing" }
/; clause at .* syscall:/ { name = $0; sub(/.*sum\(/, "", name); sub(/\(.*/, "", name) }
/call rt_slot_claim/ { claims = "claims a machine state" }
/; epilogue/ { tell() }' dump
