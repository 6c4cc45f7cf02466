m='(struct mutex *)NULL' s='(struct rw_semaphore *)NULL'
for call in "mutex_owned($m)" "mutex_owner($m)" "mutex_type_adaptive($m)" \
    "mutex_type_spin($m)" "rw_read_held($s)" "rw_write_held($s)" \
    "rw_iswriter($s)" 'getf(0)' 'd_path((struct path *)NULL)'; do
	"$DTRACE" -q -x substrate=process -n "BEGIN { trace($call); }" 2>&1
done
exit 0
