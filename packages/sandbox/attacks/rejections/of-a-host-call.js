/**
 * Leaves a rejecting host call unhandled.
 *
 * Holds: the rejection belongs to the isolate; no promise of the executor is involved.
 *
 * @ends failed Error: refused
 */
$.Http.get('http://refused.example/')
await $.Http.get('http://slow.example/')
