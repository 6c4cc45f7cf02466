strip -o chain "$PROGS/chain_fp"
for form in text json folded; do
	for run in 1 2; do
		"$DTRACE" -q -x oformat=$form -c "./chain 2" -s "$CASE" |
		    sed '/"event": *"\(begin\|end\)"/d; s/"address":[0-9]*/A/g
			s/"\(pid\|time\|cpu\|id\|tid\)":[0-9]*/N/g' |
		    grep -o 'chain`+0x[0-9a-f]*\|"module":"chain","offset":[0-9]*' |
		    sort | uniq -c >$form.$run
	done
	test -s $form.1 && cmp $form.1 $form.2 && wc -l <$form.1
done
# the offsets are those of the program's symbols
{ readelf -lW "$PROGS/chain_fp"; nm "$PROGS/chain_fp"; } | python3 -c '
import bisect, re, sys
text = sys.stdin.read()
base = int(re.search(r"LOAD +0x0+ (0x\w+)", text)[1], 16)
names = sorted((int(a, 16) - base, n) for a, n in re.findall(r"^(\w{16}) \w (\S+)$", text, re.M))
offsets = re.findall(r"\+0x(\w+)", open("text.1").read())
print(*sorted({names[bisect.bisect(names, (int(o, 16), "~")) - 1][1] for o in offsets}))'
