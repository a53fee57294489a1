/**
 * Stores a graph in which each level is there twice.
 *
 * Holds: it is written inside the isolate, whose executor can be killed.
 *
 * @ends failed RangeError | violation execution_time | violation memory | violation storage_size
 * @kills
 */
let graph = [1]
for (let level = 0; level < 40; level += 1) graph = [graph, graph]
await $.Storage.set(graph)
