/*
 * The descendants that a process of -p has already are traced, too, whatever
 * they run, and what they fork and execute later.
 * @@needs: prog:family prog:calls cpus:2
 * @@alone: follow puts breakpoints into all processes
 */
BEGIN { exit(0); }
