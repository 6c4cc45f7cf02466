/*
 * Option container: a container is found by the beginning of its id or by its
 * name, in the path of its control group or in docker's files.
 * @@needs: prog:known cmd:unshare
 */
BEGIN { exit(0); }
