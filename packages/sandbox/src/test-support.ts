/** Shared helpers of the tests of this package. They run real executor processes with a recording host. */

import { after } from 'node:test'
import {
  type ActionName,
  type ActionOptions,
  type HttpRequest,
  openSandbox,
  packCandles,
  type RunHost,
  type RunInput,
  type RunOutcome,
  type RunRequest,
  type Sandbox,
  type SandboxOptions,
} from './index.ts'

const candle = { time: 1_700_000_000_000, open: 1, high: 3, low: 1, last: 2, volume: 5, done: true }

export type RecordedAction = { action: ActionName; options: ActionOptions; storage: string | undefined }

/** A host that accepts everything and records its calls. */
export type RecordingHost = RunHost & {
  actions: RecordedAction[]
  stops: boolean[]
  requests: HttpRequest[]
}

export function recordingHost(overrides: Partial<RunHost> = {}): RecordingHost {
  const actions: RecordedAction[] = []
  const stops: boolean[] = []
  const requests: HttpRequest[] = []
  return {
    actions,
    stops,
    requests,
    checkOptions: (given) => overrides.checkOptions?.(given),
    async action(action, options, storage) {
      actions.push({ action, options, storage })
      return (
        overrides.action?.(action, options, storage) ?? {
          id: actions.length,
          action,
          symbols: ['BTCUSDT'],
          price: 101.5,
          at: 1_700_000_000_000,
          delivered: true,
        }
      )
    },
    positions: async () => overrides.positions?.() ?? [],
    async stop(notify) {
      stops.push(notify)
      return overrides.stop?.(notify) ?? true
    },
    http: async (request, signal) => {
      requests.push(request)
      return overrides.http?.(request, signal) ?? { status: 200, text: '{}', cache: false }
    },
    rate: async (exchange, symbol) => overrides.rate?.(exchange, symbol) ?? null,
    candles: async (request) => overrides.candles?.(request) ?? packCandles([candle]),
    sign: async (payload, secret, algorithm) =>
      overrides.sign?.(payload, secret, algorithm) ?? `${algorithm} of ${payload} with ${secret}`,
  }
}

/** The input of a strategy with 'send signal' that has not acted yet and stored nothing. */
export function inputOf(overrides: Partial<RunInput> = {}): RunInput {
  return {
    strategy: {
      id: 1,
      type: 'code-strategy',
      signal: { symbols: ['BTCUSDT'], lastTrigger: { action: null, price: null, at: null } },
    },
    storage: null,
    request: null,
    price: null,
    env: {},
    ...overrides,
  }
}

let strategyIds = 0

/** A new id for a strategy. */
export function newStrategyId(): number {
  strategyIds += 1
  return strategyIds
}

export type TestSandbox = {
  sandbox: Sandbox
  /** Runs code once, by default as a new strategy. */
  run(code: string, request?: Partial<RunRequest>): Promise<RunOutcome>
}

/** Opens a sandbox for a test file, and closes it after the last test. */
export async function testSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox({ executors: 1, ...options })
  after(() => sandbox.close())
  return {
    sandbox,
    run: (code, request) =>
      sandbox.run({ strategyId: newStrategyId(), input: inputOf(), host: recordingHost(), ...request, code }),
  }
}

/**
 * Source of `thawedFrom(roots)`: it walks everything that the members of `roots` lead to, also through getters. It returns
 * `{ count, thawed }`: the number of objects, and the paths of those that are not frozen.
 */
export const thawedFrom = `function thawedFrom(roots) {
  const seen = new Set([roots])
  const thawed = []
  const walk = (value, path) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return
    if (seen.has(value)) return
    seen.add(value)
    if (!Object.isFrozen(value)) thawed.push(path)
    walk(Object.getPrototypeOf(value), path + '.__proto__')
    for (const key of [...Object.getOwnPropertyNames(value), ...Object.getOwnPropertySymbols(value)]) {
      const property = Object.getOwnPropertyDescriptor(value, key)
      const behind = []
      try { behind.push(value[key]) } catch {}
      for (const member of [property.value, property.get, property.set, ...behind])
        walk(member, path + '.' + String(key))
    }
  }
  for (const key of Object.keys(roots)) walk(roots[key], key)
  return { count: seen.size, thawed }
}`

/** The last line of the log, parsed as JSON. Throws if the run did not complete. */
export function logged(outcome: RunOutcome): unknown {
  if (outcome.status !== 'completed') throw new Error(`not completed: ${JSON.stringify(outcome)}`)
  return JSON.parse(outcome.log.trimEnd().split('\n').at(-1)!)
}

/** Resolves when `condition` holds. After two minutes, it rejects with an error that names what did not happen. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  // A wait is not a measurement: on a busy machine, everything takes several times as long.
  const end = performance.now() + 120_000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
