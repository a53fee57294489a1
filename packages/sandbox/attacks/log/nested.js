/**
 * Logs data nested a hundred thousand deep.
 *
 * Holds: it is cut like any long text, or its overflow caught where it is rendered.
 *
 * @ends completed
 */
let nested = []
for (let level = 0; level < 100_000; level += 1) nested = [nested]
$.log(nested)
