/*
 * A stack of a module's tracepoint begins with the function that contains it:
 * modules' symbols come in no order, so the next one does not end a function.
 * @@args: -q
 * @@needs: btf:9pnet kmod:9pnet_fd
 * @@run: sh -c 'busybox modprobe 9pnet_fd; exec mount -t 9p -o trans=fd,rfdno=3,wfdno=4 none . 3</dev/null 4>/dev/null >/dev/null 2>&1'
 */
sdt:9p::9p_client_req
/pid == $target/
{
	stack(1);
	exit(0);
}
