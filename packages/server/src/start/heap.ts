import { setFlagsFromString } from 'node:v8'

/**
 * By how much the heap may grow before V8 collects all of it. V8's own choice fits programs with larger heaps: it keeps
 * room for new objects free, which is almost all that a heap of 60 MB may grow by. So at 200 signals a second, it
 * collected the whole heap every second or two, and each time its threads kept two processors busy for 40 ms, while
 * runs and the database waited.
 */
const growthPercent = 200

/** Makes full garbage collections rare. The limit of the heap stays as it is. */
export function collectRarely(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`)
}
