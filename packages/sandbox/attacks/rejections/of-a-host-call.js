/**
 * Leaves a rejecting host call unhandled.
 *
 * Holds: the rejection is the isolate's own; the executor's own promises are not involved.
 *
 * @ends failed Error: refused
 */
$.Http.get('http://refused.example/')
await $.Http.get('http://slow.example/')
