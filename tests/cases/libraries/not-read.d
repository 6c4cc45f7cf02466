/*
 * A library that no script uses is not opened.
 * @@needs: root bpf cmd:strace
 */

