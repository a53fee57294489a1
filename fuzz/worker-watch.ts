/**
 * A thread beside the one that tries inputs: kills the process when one input keeps it busy. It goes by the time of the
 * processor, so that a machine with much else to do makes no findings.
 */
import { workerData } from 'node:worker_threads'

/** How long an input may take in all, in ms: generous, because others may need the machine. */
const waitLimitMs = 60_000

/** `turns[0]` counts inputs as they begin and as they end: it is odd while one is tried. */
const { turns, busyLimitMs } = workerData as { turns: Int32Array; busyLimitMs: number }
let turn = -1
let busyAt = 0
let seenAt = 0

setInterval(() => {
  const { user, system } = process.cpuUsage()
  const busyMs = (user + system) / 1000
  const now = performance.now()
  const current = Atomics.load(turns, 0)
  if (current !== turn || current % 2 === 0) {
    turn = current
    busyAt = busyMs
    seenAt = now
  } else if (busyMs - busyAt > busyLimitMs || now - seenAt > waitLimitMs) {
    process.kill(process.pid, 'SIGKILL')
  }
}, 50)
