/**
 * Code that takes a while. The clock of a run moves on only with the answers of host calls, so code cannot just wait for a
 * moment. It searches a list instead: V8 does that with compiled code of its own, as fast here as in a new isolate.
 */
const searches = (count: number) =>
  `{ const list = new Float64Array(2e3); for (let n = 0; n < ${count}; n += 1) list.indexOf(1) }`

const searchesPerMs = measured()

/** A statement that computes for at least about `ms` of processor time, which can be much more on a busy machine. */
export function busyFor(ms: number): string {
  return searches(Math.ceil(ms * searchesPerMs))
}

/** A statement that ends `ms` later. It computes and calls the host in turn, at most about 100 times. */
export function lastingFor(ms: number): string {
  const turn = `${busyFor(ms / 100)} await $.Http.generateSignature('payload', 'secret')`
  return `for (const end = Date.now() + ${ms}; Date.now() < end; ) { ${turn} }`
}

/** The fastest of some rounds: others were measured while the processor did something else. */
function measured(): number {
  const count = 1_000
  const run = new Function(searches(count))
  let fastestMs = Infinity
  for (let round = 0; round < 10; round += 1) {
    const startedAt = performance.now()
    run()
    fastestMs = Math.min(fastestMs, performance.now() - startedAt)
  }
  return count / fastestMs
}
