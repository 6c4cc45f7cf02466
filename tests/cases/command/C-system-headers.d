/*
 * The system's headers are understood: constants, types, and what D ignores.
 * @@args: -q -C
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <netinet/in.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <signal.h>
#include <linux/fs.h>

BEGIN
{
	printf("%d %d %d %d\n", AF_INET, O_CREAT, ENOENT, SIGKILL);
	printf("%d %d\n", sizeof (struct sockaddr_in), sizeof (struct stat));
	exit(0);
}
