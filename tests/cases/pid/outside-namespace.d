/* A process outside of our user namespace: no capability is called missing.
 * @@needs: cmd:unshare
 */
