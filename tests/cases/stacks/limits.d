/*
 * A stack that has all the frames that an option permits says so, and by which
 * option; one whose number of frames the script gives does not.
 * @@needs: prog:chain
 */
