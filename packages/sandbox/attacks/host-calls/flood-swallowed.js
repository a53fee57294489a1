/**
 * Makes calls without end, and swallows their errors.
 *
 * Holds: a refused call is an error inside the isolate, which costs nobody else anything.
 *
 * @ends violation execution_time
 */
for (;;) { for (let index = 0; index < 50; index += 1) $.Strategy.stop().catch(() => {}); await null }
