# Each program writes its own counts.
export LC_ALL=C
check() {
	what=$1
	shift
	rm -f traced truth
	"$DTRACE" -q -x aggsortkey -o traced -n '
		pid$target:a.out:fn_*:entry, pid$target:a.out:fn_*:return
		{ @[probefunc, probename] = count(); }
		END { printa("%s %@d %s\n", @); }' -c "$*" || exit 1
	for name in entry return; do
		grep " $name\$" traced | sed "s/ $name//" | sort >"$name"
		if cmp -s "$name" truth; then
			echo "$what: every $name"
		else
			diff truth "$name" | head
		fi
	done
}
for form in calls calls_pie calls_static calls_static_pie calls_exported; do
	check $form "$PROGS/$form" truth once 50
done
for how in threads fork vfork; do
	check "$how" "$PROGS/calls" truth $how 50
done
