/**
 * Feeds an indicator with a giant window.
 *
 * Holds: the timeout interrupts it; its values count as memory of the isolate.
 *
 * @ends violation execution_time | violation memory
 */
const average = new $.Ta.WMA(100_000)
for (let price = 0; ; price += 1) average.update(price)
