import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LastTrigger, RunOutcome, SeriesEvent, SeriesRequest, SeriesStep } from './index.ts'
import { inputOf, newStrategyId, type RecordedAction, recordingHost, testSandbox } from './test-support.ts'

const timeoutMs = 1_000
/** Its runs are compared with ordinary ones, so they need the same share of a busy machine. */
const normal = { seriesExecutors: 1, seriesPriority: 'normal' } as const
const { sandbox } = await testSandbox({ ...normal, timeoutMs, memoryLimitMb: 32 })

const startMs = Date.UTC(2025, 0, 1)
const headers = { 'content-type': 'application/json' }

function eventsOf(count: number): SeriesEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    startMs: startMs + 60_000 * index,
    data: `${index}`,
    price: 100 + 10 * Math.sin(index / 9),
  }))
}

const input = inputOf({
  request: { data: '', headers, ip: '192.0.2.1' },
  price: { symbol: 'BTCUSDT', price: 0, exchange: 'binance', service: 'spot' },
  storage: '{"n":0}',
  env: { NAME: 'value' },
})

/** What the runs did, as far as their owner sees it. */
type Done = {
  logs: [number, string][]
  ends: [number, string][]
  actions: [number, RecordedAction][]
  storage: string | null
}

function note(done: Done, index: number, { status, error, violation, log }: RunOutcome): void {
  if (log !== '') done.logs.push([index, log])
  const end = violation?.rule ?? (error === null ? status : `${error.name}: ${error.message} ${error.line}`)
  if (end !== 'completed') done.ends.push([index, end])
}

const nothing = (): Done => ({ logs: [], ends: [], actions: [], storage: input.storage })

/** A host whose actions move the last trigger, which it holds. */
function market(done: Done, triggerOf: { last: LastTrigger }) {
  return (index: number) => {
    const { startMs: at, price } = events(index)
    return recordingHost({
      action: async (action, options, storage) => {
        done.actions.push([index, { action, options, storage }])
        triggerOf.last = { action, price, at }
        return { id: index, action, symbols: ['BTCUSDT'], price, at, delivered: false }
      },
    })
  }
}

let current: readonly SeriesEvent[] = []
const events = (index: number) => current[index]!

const none: LastTrigger = { action: null, price: null, at: null }

/** The runs one by one, as the live path executes them. */
async function live(code: string): Promise<Done> {
  const done = nothing()
  const triggerOf = { last: none }
  const hostOf = market(done, triggerOf)
  const strategyId = newStrategyId()
  for (const [index, { startMs, data, price, sender }] of current.entries()) {
    const { signal } = input.strategy
    const outcome = await sandbox.run({
      ...{ strategyId, code, host: hostOf(index), seed: 5 + index, startMs, stands: true },
      input: {
        ...input,
        strategy: { ...input.strategy, signal: signal && { ...signal, lastTrigger: triggerOf.last } },
        storage: done.storage,
        request: { ...input.request!, ...sender, data: data! },
        price: { ...input.price!, price: price! },
      },
    })
    note(done, index, outcome)
    done.storage = outcome.storage ?? done.storage
  }
  return done
}

async function inSeries(
  code: string,
  over: Partial<SeriesRequest> = {},
): Promise<Done & { steps: SeriesStep[] }> {
  const done = { ...nothing(), steps: [] as SeriesStep[] }
  const triggerOf = { last: none }
  await sandbox.series({
    ...{ strategyId: newStrategyId(), code, input, events: current, seed: 5 },
    hostOf: market(done, triggerOf),
    ended(step) {
      for (const [index, { name, message, line }] of step.failures)
        done.ends.push([index, `${name}: ${message} ${line}`])
      done.logs.push(...step.logs)
      if (step.outcome !== null) note(done, step.to - 1, step.outcome)
      done.storage = step.storage
      done.steps.push(step)
      return { next: step.to, lastTrigger: triggerOf.last }
    },
    ...over,
  })
  return done
}

/** Code that does something special in some runs, of 60. */
const programs: Record<string, string> = {
  'only stores': `
    const { n } = await $.Storage.get()
    await $.Storage.set({ n: n + $.Price.price })`,
  'sees the same of everything': `
    $.log(JSON.stringify([Date.now(), Math.random(), $.Price, $.Request, $.Env, $.Strategy.lastTrigger, (await $.Storage.get()).n]))
    if ($.Request.data % 7 === 0) await $.Storage.set({ n: $.Request.data, filler: 'x'.repeat(1e4) })`,
  'acts now and then': `
    const before = Date.now()
    if ($.Request.data % 9 === 4) {
      await $.Storage.set({ n: 1, at: Date.now() })
      const { price } = await $.Strategy.action($.Request.data % 2 ? 'LONG' : 'SHORT', { size: 2 })
      $.log(price, Date.now() - before, JSON.stringify($.Strategy.lastTrigger))
      await $.Storage.set({ n: 2 })
    }
    if ($.Request.data % 9 === 5) $.log(JSON.stringify([$.Strategy.lastTrigger, await $.Storage.get()]))`,
  'fails in all ways': `
    const n = +$.Request.data
    $.log(n)
    await $.Storage.set({ n })
    if (n % 10 === 1) throw new RangeError('one')
    if (n % 10 === 2) return
    if (n % 10 === 3) missing.member
    if (n === 14) await new Promise(() => {})
    if (n === 25) Promise.reject(new TypeError('nobody handles this'))
    if (n === 36) await $.Storage.set({ text: 'x'.repeat(30_000) })
    if (n === 38) (function deeper() { deeper() })()
    if (n === 47) { await $.Strategy.action('LONG'); await $.Strategy.action('LONG') }
    if (n === 57) { $.Strategy.action('SHORT'); await new Promise(() => {}) }`,
  'does not compile': 'const',
}
for (const [what, code] of Object.entries(programs)) {
  test(`in a series, runs do what they do one by one: code that ${what}`, async () => {
    current = eventsOf(60)
    const { steps, ...done } = await inSeries(code)
    assert.deepEqual(done, await live(code))
    assert.deepEqual(
      steps.map(({ from }) => from),
      [0, ...steps.slice(0, -1).map(({ to }) => to)],
      'each run is told once, in order',
    )
    assert.equal(steps.at(-1)!.to, 60)
  })
}

test('a run of a series may have headers and an address of its own, and no other run sees them', async () => {
  current = eventsOf(60).map((event, index) => {
    const headers = { ['__proto__']: 'x', 'user-agent': `feed ${index}` }
    const sender = { headers, ip: `192.0.2.${index}` }
    return Math.floor(index / 20) === 1 || index === 50 ? event : { ...event, sender }
  })
  const code = programs['sees the same of everything']! + programs['acts now and then']!
  const { steps: _steps, ...done } = await inSeries(code)
  assert.deepEqual(done, await live(code))
  assert.match(done.logs[3]![1], /"feed 3"},"ip":"192\.0\.2\.3"/)
})

const harmful: [what: string, code: string, end: RegExp][] = [
  ['loops', 'for (;;);', /^execution_time$/],
  ['loops after an action', `await $.Strategy.action('LONG'); for (;;);`, /^execution_time$/],
  ['ignores its time', 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', /^execution_time$/],
  [
    'fills the memory',
    'const all = []; for (;;) all.push(new Array(1e5).fill(1))',
    // On a busy machine, the time can end before the memory does.
    /^(memory|execution_time)$/,
  ],
]
for (const [what, harm, end] of harmful) {
  test(`a run of a series that ${what} is found, and the others are as without it`, async () => {
    current = eventsOf(12)
    const code = `const { n } = await $.Storage.get(); if ($.Request.data === '6') { ${harm} }; await $.Storage.set({ n: n + 1 })`
    const { ends, storage, actions } = await inSeries(code)
    assert.deepEqual(
      ends.map(([index]) => index),
      [6],
    )
    assert.match(ends[0]![1], end)
    assert.equal(storage, '{"n":11}')
    assert.equal(actions.length, /action/.test(harm) ? 1 : 0)
  })
}

test('thousands of runs take few steps, and each sees what the one before stored', async () => {
  current = eventsOf(10_000)
  const { storage, steps, ends } = await inSeries(
    'const { n } = await $.Storage.get(); if (n !== +$.Request.data) throw n; await $.Storage.set({ n: n + 1 })',
  )
  assert.deepEqual([storage, ends], ['{"n":10000}', []])
  assert.ok(steps.length < 5_000, `${steps.length} steps`)
})

test('the caller ends a series, and leaves out runs', async () => {
  current = eventsOf(1_000)
  const seen: number[] = []
  const act = `if ($.Request.data % 10 === 0) { $.log(1); await $.Strategy.action('LONG') }`
  await inSeries(act, {
    ended({ outcome, to }) {
      if (outcome === null) return { next: to, lastTrigger: none }
      seen.push(to - 1)
      return seen.length === 4 ? null : { next: to + 100, lastTrigger: none }
    },
  })
  assert.deepEqual(seen, [0, 110, 220, 330])
})

test('code with a forbidden identifier never starts', async () => {
  current = eventsOf(2)
  const { ends } = await inSeries('fetch')
  assert.deepEqual(ends, [
    [0, 'forbidden_identifier'],
    [1, 'forbidden_identifier'],
  ])
})

test('without executors for series, and after its end, a sandbox refuses them', async () => {
  const own = await testSandbox()
  const request = { strategyId: 1, code: '', input, events: eventsOf(1), seed: 1 }
  const { hostOf, ended } = { hostOf: () => recordingHost(), ended: () => null }
  await assert.rejects(own.sandbox.series({ ...request, hostOf, ended }), /no executors for series/)
  const other = await testSandbox(normal)
  await other.sandbox.close()
  await assert.rejects(other.sandbox.series({ ...request, hostOf, ended }), /closed/)
})
