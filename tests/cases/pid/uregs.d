/*
 * uregs[] has the program's registers; at an entry those of the first
 * instruction, wherever the probe stands.  The word that the stack pointer
 * points to there is where the function returns to.
 * @@needs: prog:calls
 */
BEGIN { exit(0); }
