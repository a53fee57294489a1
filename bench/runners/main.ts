/** A runner in a separate process: `runner-process.ts` tells it which runner to open, and then what to measure. */
import { cpuSeconds, residentBytes } from '../processes.ts'
import { percentile } from '../statistics.ts'
import type { Idle, Measurement, Plan, RunnerMessage, RunnerOrder } from './protocol.ts'
import type { OpenRunner, Runner } from './runner.ts'

let runner: Runner
let order: RunnerOrder
let acts = 0
let freshIds = 1_000_000

process.on('message', async (message: RunnerMessage) => {
  try {
    process.send!({ result: await obey(message) })
  } catch (error) {
    process.send!({ failure: error instanceof Error ? error.stack : String(error) })
  }
})
process.once('disconnect', async () => {
  await runner?.[Symbol.asyncDispose]()
  process.exit()
})

async function obey(message: RunnerMessage): Promise<Measurement | Idle | null> {
  if ('open' in message) {
    order = message.open
    const { open } = (await import(`./${order.name}.ts`)) as { open: OpenRunner }
    runner = await open({ ...order, act: async () => void acts++ })
    return null
  }
  return 'measure' in message ? await measure(message.measure) : await idle(message.idle)
}

/** Each strategy runs again when its last run has ended. */
async function measure({ strategies, fresh, ms }: Plan): Promise<Measurement> {
  const latenciesMs: number[] = []
  const actsBefore = acts
  const cpuBefore = cpuMs()
  const startedAt = performance.now()
  const lane = async (strategy: number) => {
    for (let now = performance.now(); now - startedAt < ms; ) {
      await runOnce(fresh ? freshIds++ : strategy)
      const ended = performance.now()
      latenciesMs.push(ended - now)
      now = ended
    }
  }
  await Promise.all(Array.from({ length: strategies }, (_, index) => lane(index + 1)))
  const seconds = (performance.now() - startedAt) / 1000
  const cpuAfter = cpuMs()
  const runs = latenciesMs.length
  if (acts - actsBefore !== runs * order.actsPerRun)
    throw new Error(`${runs} runs called the host ${acts - actsBefore} times.`)
  return {
    perSecond: runs / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    ownCpuMs: (cpuAfter.own - cpuBefore.own) / runs,
    othersCpuMs: (cpuAfter.others - cpuBefore.others) / runs,
  }
}

async function runOnce(strategy: number): Promise<void> {
  const stored = await runner.run(strategy, order.input)
  if (stored !== order.expected) throw new Error(`A run stored ${stored}\ninstead of ${order.expected}`)
}

/** The CPU time of this process and its children so far, in ms. */
function cpuMs(): { own: number; others: number } {
  const { user, system } = process.cpuUsage()
  const own = (user + system) / 1000
  const all = cpuSeconds([process.pid])
  return { own, others: all === undefined ? 0 : Math.max(0, all * 1000 - own) }
}

/** Runs new strategies some times each, and leaves them warm. */
async function idle({ strategies, runsEach }: { strategies: number; runsEach: number }): Promise<Idle> {
  const before = memory()
  for (let n = 0; n < strategies; n++) {
    const strategy = freshIds++
    for (let run = 0; run < runsEach; run++) await runOnce(strategy)
  }
  const after = memory()
  if (before === null || after === null) return null
  return {
    ownBytes: (after.own - before.own) / strategies,
    othersBytes: (after.others - before.others) / strategies,
  }
}

/** The memory of this process and its children. */
function memory(): { own: number; others: number } | null {
  const own = process.memoryUsage.rss()
  const all = residentBytes([process.pid])
  return all === undefined ? null : { own, others: Math.max(0, all - own) }
}
