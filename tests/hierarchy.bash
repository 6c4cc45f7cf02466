# Control groups of a case's own.  The hierarchy is mounted in a namespace that
# ends with the case, and the groups below $top are removed.
#
#	in_hierarchy <<'END' ...	run the commands in $top's namespace
#	$JOIN GROUP			the command of -c that runs known in GROUP
export JOIN="sh $PWD/join.sh"
cat >join.sh <<'END'
echo $$ >"$1/cgroup.procs"
exec "$PROGS/known" seq:1
END

in_hierarchy() {
	{
		cat <<-'END'
			mkdir hierarchy && mount -t cgroup2 none hierarchy || exit
			top=hierarchy/dtrace-case.$$
			mkdir $top
			trap 'find $top -depth -type d -exec rmdir {} \;' EXIT
		END
		cat
	} >groups.sh
	unshare -m sh groups.sh
}
