/** Runs the code of strategies: the sandbox, or one of the floors that it is compared with. */

/** The input of a run: the stored value as JSON text, and the body of the payload. */
export type RunnerInput = { storage: string; data: string }

export type Runner = AsyncDisposable & {
  /** Runs the code once, as strategy `strategy`; resolves to the JSON text that it stored. */
  run(strategy: number, input: RunnerInput): Promise<string>
}

export type RunnerOptions = {
  /** The body of an async function of `$`. */
  code: string
  /** The indicator library, as in the sandbox's snapshot. */
  indicators: string
  /** The host call of `$.Strategy.action`. */
  act: () => Promise<void>
  sandbox: SandboxSettings
}

/** Options of the sandbox; floors have none. */
export type SandboxSettings = { jit: boolean; runsPerIsolate?: number; warmIsolates?: number }

/** Each runner is a file in this folder, which exports `open`. */
export type OpenRunner = (options: RunnerOptions) => Promise<Runner>

export const runnerNames = [
  'inline',
  'node-vm',
  'new-isolate',
  'new-context',
  'warm-context',
  'quickjs-context',
  'quickjs-warm',
  'sandbox',
] as const
export type RunnerName = (typeof runnerNames)[number]
