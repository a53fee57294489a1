/**
 * Makes indicators store values without end.
 *
 * Holds: the isolate's limit.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
const kept = []
for (;;) { const average = new $.Ta.SMA(1e9); average.updates(Array.from({ length: 10_000 }, (_, index) => index)); kept.push(average) }
