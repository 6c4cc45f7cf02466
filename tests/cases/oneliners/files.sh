. "$CASES/../ask.bash"
ask 'files opened' 'cat /etc/passwd' \
    -n 'vfs:::open /pid == $target/ { printf("%s %s\n", execname, args[0]->fi_pathname); }' -c 'cat /etc/passwd'
ask 'files removed' ".*/gone" \
    -n 'vfs:::unlink /progenyof($target)/ { printf("%s\n", args[0]->fi_pathname); }' -c 'sh -c "touch gone; rm gone"'
ask 'file systems read' "proc +[1-9]$n?" \
    -n 'syscall::read:entry /pid == $target/ { @[fds[arg0].fi_fs] = count(); }' -c 'cat /proc/uptime'
ask 'calls of stat' "((newf)?statx?|newfstatat) +[1-9]$n?" \
    -n 'syscall::*stat*:entry /pid == $target/ { @[probefunc] = count(); }' -c 'ls /etc/passwd'
ask 'who syncs' '.*/written' -n 'syscall::fsync:entry /pid == $target/ {
    printf("%s\n", fds[arg0].fi_pathname); }' -c 'dd if=/dev/zero of=written bs=4k count=1 conv=fsync status=none'
ask 'connections begun' 'bash to 127.0.0.1:9' -n 'tcp:::connect-request /pid == $target/ {
    printf("%s to %s:%d\n", execname, args[2]->ip_daddr, args[4]->tcp_dport); }' \
    -c 'bash -c "exec 3<>/dev/tcp/127.0.0.1/9; true"'
# The answer may come while another thread runs: its port tells whose it is.
ask 'connections refused' '127.0.0.1:9' -n 'tcp:::connect-request /pid == $target/ { asked[args[4]->tcp_sport] = 1; }
    tcp:::connect-refused /asked[args[4]->tcp_dport]/ {
    printf("%s:%d\n", args[2]->ip_saddr, args[4]->tcp_sport); }' \
    -c 'bash -c "exec 3<>/dev/tcp/127.0.0.1/9; true"'
ask 'states of connections' 'state-closed state-syn-sent' -n 'tcp:::state-change /pid == $target/ {
    printf("%s %s\n", tcp_state_string[args[5]->tcps_state],
    tcp_state_string[args[3]->tcps_state]); }' -c 'bash -c "exec 3<>/dev/tcp/127.0.0.1/9; true"'
ask 'packets of UDP by port' "bash +9 +1" -n 'udp:::send /pid == $target/ {
    @[execname, args[4]->udp_dport] = count(); }' -c 'bash -c "echo >/dev/udp/127.0.0.1/9"'
ask 'segments by peer' "127.0.0.1 +[1-9]$n?" -n 'tcp:::send /pid == $target/ {
    @[args[2]->ip_daddr] = count(); }' -c 'bash -c "exec 3<>/dev/tcp/127.0.0.1/9; true"'
