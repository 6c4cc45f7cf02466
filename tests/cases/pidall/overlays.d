/*
 * Two containers of one image map one file through overlays with devices of
 * their own: a call counts once.
 * @@needs: prog:calls cmd:unshare
 * @@kernel: pid* needs the kernel
 */
BEGIN { exit(0); }
