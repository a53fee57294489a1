/**
 * Makes 201 calls, one after another.
 *
 * Holds: the guest counts, and the parent counts again.
 *
 * @ends failed Error: A run may make at most 200 host calls.
 */
for (let index = 0; index < 201; index += 1) await $.Strategy.stop()
