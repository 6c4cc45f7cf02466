for probe in sycall::: syscall::raed:entry BEGN nosuch:::x; do
	"$DTRACE" -l -n $probe 2>&1 >/dev/null
done
exit 1
