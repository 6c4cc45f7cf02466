#!/usr/sbin/dtrace -s
/*
 * noderequests: HTTP requests that a Node.js server answers, and their times
 *
 * The program is named with -p PID or -c COMMAND.
 *
 * Needs Node.js that was built with --with-dtrace; since version 19 it has no
 * probes.
 */
#pragma D option quiet
#pragma D option zdefs

node$target:::http-server-request
{
	since[(int)arg6] = timestamp;
	what[(int)arg6] = strjoin(copyinstr(arg4), strjoin(" ", copyinstr(arg5)));
}

node$target:::http-server-response
/since[(int)arg3]/
{
	printf("%10d us  %s\n", (timestamp - since[(int)arg3]) / 1000,
	    what[(int)arg3]);
	@["request (us)"] = quantize((timestamp - since[(int)arg3]) / 1000);
	since[(int)arg3] = 0;
	what[(int)arg3] = 0;
}
