import { loadGuestCode } from '../packages/sandbox/src/guest-code.ts'
import type { BenchContext, Benchmark } from './context.ts'
import type { Row, Section, Target } from './report.ts'
import { RunnerProcess } from './runner-process.ts'
import type { Measurement, RunnerOrder } from './runners/protocol.ts'
import type { RunnerName, SandboxSettings } from './runners/runner.ts'
import { median, spread } from './statistics.ts'
import { actingCode, typicalCode } from './typical-reaction.ts'
import { typicalRun } from './typical-run.ts'

/** How many strategies run at the same time for rates and CPU time. */
const strategies = 8
const warmStrategies = 100
/** Enough for compiled code and a few garbage collections. */
const runsOfWarmStrategy = 20

/** The sandbox without database and HTTP, compared with other ways to run the same code. Each stays on one core. */
export const sandbox: Benchmark = { name: 'sandbox', run }

type Contender = {
  name: string
  runner: RunnerName
  jit: boolean
  /** Whether each run has a new strategy. */
  fresh?: boolean
  /** Whether each run makes a host call. */
  acts?: boolean
  settings?: Omit<SandboxSettings, 'jit'>
}

const withJit: readonly Contender[] = [
  { name: 'floor: inline, no isolation', runner: 'inline', jit: true },
  { name: 'floor: node:vm, new context a run', runner: 'node-vm', jit: true },
  { name: 'floor: isolated-vm, new isolate a run', runner: 'new-isolate', jit: true },
  { name: 'floor: isolated-vm, new context a run', runner: 'new-context', jit: true },
  { name: 'floor: isolated-vm, warm context', runner: 'warm-context', jit: true },
  { name: 'floor: the same, one host call', runner: 'warm-context', jit: true, acts: true },
  { name: 'floor: QuickJS, new context a run', runner: 'quickjs-context', jit: true },
  { name: 'floor: QuickJS, warm context', runner: 'quickjs-warm', jit: true },
  { name: 'sandbox, warm', runner: 'sandbox', jit: true },
  { name: 'sandbox, warm, one host call', runner: 'sandbox', jit: true, acts: true },
  { name: 'sandbox, cold', runner: 'sandbox', jit: true, fresh: true },
  {
    name: 'sandbox, a fresh isolate for each run',
    runner: 'sandbox',
    jit: true,
    settings: { runsPerIsolate: 1 },
  },
]
const withoutJit: readonly Contender[] = withJit
  .filter(({ runner }) => ['new-isolate', 'warm-context', 'sandbox'].includes(runner))
  .map((contender) => ({ ...contender, jit: false }))

async function run({ quick }: BenchContext): Promise<Section> {
  const orders = await makeOrders()
  const rows: Row[] = []
  for (const contenders of [withJit, withoutJit]) {
    const figures = await measureAll(
      contenders,
      orders,
      quick ? { rounds: 1, ms: 300 } : { rounds: 3, ms: 800 },
    )
    rows.push(...figures.map(rowOf), ...comparisons(figures))
  }
  for (const contender of rested) rows.push(await measureIdle(contender, orders))
  return { bench: 'sandbox', title: 'RSI and EMA over 200 stored prices, on one core', rows }
}

type Orders = (contender: Contender) => RunnerOrder

/** The order for a contender's runner. The expected storage is computed inline. */
async function makeOrders(): Promise<Orders> {
  const { indicators } = (await loadGuestCode()).scripts
  const { expected, ...input } = await typicalRun()
  return ({ runner, jit, acts = false, settings }) => ({
    name: runner,
    code: acts ? actingCode : typicalCode,
    indicators,
    input,
    expected,
    actsPerRun: acts ? 1 : 0,
    sandbox: { jit, ...settings },
  })
}

type Figure = { contender: Contender; alone: Measurement[]; together: Measurement[] }

/** Measures all contenders in turn, round after round; the first round warms up and does not count. */
async function measureAll(
  contenders: readonly Contender[],
  orders: Orders,
  { rounds, ms }: { rounds: number; ms: number },
): Promise<Figure[]> {
  await using resources = new AsyncDisposableStack()
  const runners: { figure: Figure; process: RunnerProcess }[] = []
  for (const contender of contenders) {
    const process = resources.use(await start(contender, orders))
    runners.push({ figure: { contender, alone: [], together: [] }, process })
  }
  for (let round = 0; round <= rounds; round++) {
    for (const { figure, process } of runners) {
      const fresh = figure.contender.fresh ?? false
      const forMs = round === 0 ? 2 * ms : ms
      const alone = await process.measure({ strategies: 1, fresh, ms: forMs })
      const together = await process.measure({ strategies, fresh, ms: forMs })
      if (round === 0) continue
      figure.alone.push(alone)
      figure.together.push(together)
    }
  }
  return runners.map(({ figure }) => figure)
}

function start(contender: Contender, orders: Orders): Promise<RunnerProcess> {
  const { runner, jit } = contender
  // The sandbox's executors have an option for it; a floor gets the flags of its process.
  return RunnerProcess.start({ order: orders(contender), interpreted: runner !== 'sandbox' && !jit })
}

/** The latency of one run at a time; rate and CPU time of eight strategies at once. */
function rowOf({ contender, alone, together }: Figure): Row {
  const perSecond = spread(together.map((round) => round.perSecond))
  const cpu = cpuMs(together)
  const isOurs = contender.runner === 'sandbox'
  return {
    name: nameOf(contender),
    perSecond,
    perCpuSecond: 1000 / cpu,
    ...(isOurs ? cpuShares(together) : {}),
    p50Ms: median(alone.map((round) => round.p50Ms)),
    p99Ms: median(alone.map((round) => round.p99Ms)),
  }
}

function nameOf({ name, jit }: Contender): string {
  return jit ? name : `${name}, no JIT`
}

function cpuShares(rounds: readonly Measurement[]): { ownCpuMs: number; othersCpuMs: number } {
  return {
    ownCpuMs: median(rounds.map((round) => round.ownCpuMs)),
    othersCpuMs: median(rounds.map((round) => round.othersCpuMs)),
  }
}

/** CPU time per run, of all processes together. */
function cpuMs(rounds: readonly Measurement[]): number {
  return median(rounds.map((round) => round.ownCpuMs + round.othersCpuMs))
}

/** The cost of a run in the sandbox, compared with the floors. */
function comparisons(figures: readonly Figure[]): Row[] {
  const cpuOf = (name: string) => cpuMs(figures.find(({ contender }) => contender.name === name)!.together)
  const p50Of = (name: string) =>
    median(figures.find(({ contender }) => contender.name === name)!.alone.map((round) => round.p50Ms))
  const warm = 'sandbox, warm'
  const bare = 'floor: isolated-vm, warm context'
  const newIsolate = 'floor: isolated-vm, new isolate a run'
  const suffix = figures[0]!.contender.jit ? '' : ', no JIT'
  const row = (name: string, times: number, most?: number): Row => ({
    name: name + suffix,
    times,
    ...(most === undefined ? {} : { target: atMost(times, most) }),
  })
  const perCoreSecond = 1000 / cpuOf(warm)
  return [
    row('warm : warm context of isolated-vm, CPU', cpuOf(warm) / cpuOf(bare), 1.5),
    row('warm : warm context of isolated-vm, p50', p50Of(warm) / p50Of(bare)),
    row('warm : new isolate for each run, CPU', cpuOf(warm) / cpuOf(newIsolate), 0.2),
    row('cold : new isolate for each run, CPU', cpuOf('sandbox, cold') / cpuOf(newIsolate), 1.3),
    {
      name: `warm runs in a second of one core${suffix}`,
      perCpuSecond: perCoreSecond,
      target: { text: 'at least 2,000', met: perCoreSecond >= 2_000 },
    },
  ]
}

function atMost(times: number, most: number): Target {
  return { text: `at most ${most}`, met: times <= most }
}

/** The contenders whose memory is measured. */
const rested: readonly Contender[] = [
  { name: 'floor: isolated-vm, warm context', runner: 'warm-context', jit: true },
  { name: 'floor: QuickJS, warm context', runner: 'quickjs-warm', jit: true },
  { name: 'sandbox', runner: 'sandbox', jit: true, settings: { warmIsolates: 2 * warmStrategies } },
  { name: 'sandbox', runner: 'sandbox', jit: false, settings: { warmIsolates: 2 * warmStrategies } },
]

async function measureIdle(contender: Contender, orders: Orders): Promise<Row> {
  await using process = await start(contender, orders)
  // Memory that the process needs for itself does not count for its strategies.
  await process.idle(5, runsOfWarmStrategy)
  const idle = await process.idle(warmStrategies, runsOfWarmStrategy)
  const name = `memory of an idle warm strategy, ${nameOf(contender)}`
  if (idle === null) return { name }
  const bytes = contender.runner === 'sandbox' ? idle.othersBytes : idle.ownBytes
  const memoryMb = bytes / 2 ** 20
  if (contender.runner !== 'sandbox') return { name, memoryMb }
  return { name, memoryMb, target: { text: 'at most 4 MB', met: memoryMb <= 4 } }
}
