/*
 * The program of one process is none of all processes.
 */
pid*:a.out:main:entry { }
