/**
 * Loops after a host call, in an entry that a reply made.
 *
 * Holds: each entry gets what is left of the time.
 *
 * @ends violation execution_time
 */
await $.Strategy.stop()
for (;;);
