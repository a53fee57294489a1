// Never leaves the microtask queue.
for (;;) await null
