/**
 * Writes a graph as JSON, in which each level is there twice.
 *
 * Holds: V8 ends it when the text is too long, or the parent kills the executor.
 *
 * @ends failed RangeError | violation execution_time | violation memory
 * @kills
 */
let graph = [1]
for (let level = 0; level < 40; level += 1) graph = [graph, graph]
JSON.stringify(graph)
