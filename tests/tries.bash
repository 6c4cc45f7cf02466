# For cases whose numbers are right only if no other process interferes;
# sourced by their .sh.  Runs "$@" until it prints the expected output, up to
# ten times.
until_expected() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >printed
		! cmp -s printed "${CASE%.d}.out" || break
	done
	cat printed
}

# Run "$@" until dtrace reports no missing firing, up to ten times.
until_complete() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		"$@" >printed 2>err
		grep -q 'skipped by the kernel\|dynamic variable drop' err || break
	done
	cat printed
	cat err >&2
}
