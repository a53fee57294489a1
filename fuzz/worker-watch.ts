/**
 * A thread that kills the process if one input keeps it busy for too long. It counts CPU time, so that other load on the
 * machine causes no findings.
 */
import { workerData } from 'node:worker_threads'

/** The limit on the clock time of an input, in ms: generous, because the machine may be busy. */
const waitLimitMs = 60_000

/** `turns[0]` increases when an input starts and when it ends: it is odd during an input. */
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
