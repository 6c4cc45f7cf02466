# For cases whose numbers are known only if nobody else has a part in them; sourced
# by their .sh.
# "$@" until it prints what it should, up to ten times.
until_expected() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >printed
		! cmp -s printed "${CASE%.d}.out" || break
	done
	cat printed
}

# "$@" until no firing is missing, as dtrace tells, up to ten times.
until_complete() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >printed 2>err
		grep -q 'skipped by the kernel\|dynamic variable drop' err || break
	done
	cat printed
	cat err >&2
}
