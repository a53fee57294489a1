/**
 * Registers symbols without end, which V8 never collects.
 *
 * Holds: the isolate's limit: the registry is on its heap.
 *
 * @ends violation memory | violation execution_time
 * @kills
 */
for (let index = 0; ; index += 1) Symbol.for(`${'x'.repeat(1_000)}${index}`)
