/** What the tests of this package share. They run real executor processes; only the host is a stand-in. */

import { after } from 'node:test'
import {
  type ActionName,
  type ActionOptions,
  openSandbox,
  type RunHost,
  type RunInput,
  type RunOutcome,
  type RunRequest,
  type Sandbox,
  type SandboxOptions,
} from './index.ts'

export type RecordedAction = { action: ActionName; options: ActionOptions; storage: string | undefined }

/** A host that says yes to everything and remembers what it was asked. */
export type RecordingHost = RunHost & { actions: RecordedAction[]; stops: boolean[] }

export function recordingHost(overrides: Partial<RunHost> = {}): RecordingHost {
  const actions: RecordedAction[] = []
  const stops: boolean[] = []
  return {
    actions,
    stops,
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
    async stop(notify) {
      stops.push(notify)
      return overrides.stop?.(notify) ?? true
    },
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
    ...overrides,
  }
}

let strategyIds = 0

/** An id that no other test uses. */
export function newStrategyId(): number {
  strategyIds += 1
  return strategyIds
}

export type TestSandbox = {
  sandbox: Sandbox
  /** Runs code once, as a strategy of its own unless told otherwise. */
  run(code: string, request?: Partial<RunRequest>): Promise<RunOutcome>
}

/** Opens a sandbox for a whole file; closed after its last test. */
export async function testSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox({ executors: 1, ...options })
  after(() => sandbox.close())
  return {
    sandbox,
    run: (code, request) =>
      sandbox.run({ strategyId: newStrategyId(), input: inputOf(), host: recordingHost(), ...request, code }),
  }
}

/** The last line that code logged as JSON. Throws when it did not complete. */
export function logged(outcome: RunOutcome): unknown {
  if (outcome.status !== 'completed') throw new Error(`not completed: ${JSON.stringify(outcome)}`)
  return JSON.parse(outcome.log.trimEnd().split('\n').at(-1)!)
}

/** Resolves when `condition` holds; rejects after 10 s, naming what did not happen. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 10_000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
