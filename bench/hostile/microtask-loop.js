// Never leaves the queue of microtasks.
for (;;) await null
