# A library with two rules for each probe of the case; the second has a predicate,
# by which its program is told from the first one's.
mkdir -p lib
sed -n 's/^\([a-z]*[0-9]\):::\([a-z_0-9]*\) .*/\1 \2/p' "$CASE" | awk '
$1 != last { if (last) print "};" ways; print "provider " $1 " {"; last = $1; ways = "" }
{ print "\tprobe " $2 "(int n);"
  ways = ways "\nsdt:sched::sched_switch { fire_in(\"" $1 ":::" $2 "\", args[2], 1); }" \
      "\nsyscall::getpriority:entry /arg0 == 0x7001/ { fire(\"" $1 ":::" $2 "\", 1); }" }
END { print "};" ways }' >lib/ways.d
DTRACE_TEST_COUNTERS=1 "$DTRACE" -q -w -L lib -s "$CASE" --dump=bpf >dump 2>&1 || grep dtrace: dump
for way in comes runs; do
	echo "in the thread that $way:"
	awk -v way=$way '
	/^BPF program/ { is = "comes" }
	/arg0 == 0x7001$/ { is = "runs" }
	/clause at/ && is == way && sub(/.*[0-9]:::/, "") { print "    " $1 }' dump |
	    sort
done
