/* `x in (1, 2)`, which D lacks, gets a hint with the user's own values. */
