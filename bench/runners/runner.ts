/** What runs the code of strategies: the sandbox, or one of the floors that it is held against. */

/** What a run is given: the stored value as JSON text, and the body of the payload. */
export type RunnerInput = { storage: string; data: string }

export type Runner = AsyncDisposable & {
  /** Runs the code once, as strategy `strategy`; resolves to the JSON text that it stored. */
  run(strategy: number, input: RunnerInput): Promise<string>
}

export type RunnerOptions = {
  /** The body of an async function of `$`. */
  code: string
  /** The library of indicators as the sandbox puts it into its snapshot. */
  indicators: string
  /** What `$.Strategy.action` asks of the host. */
  act: () => Promise<void>
  sandbox: SandboxSettings
}

/** For the sandbox alone; a floor has nothing to set. */
export type SandboxSettings = { jit: boolean; runsPerIsolate?: number; warmIsolates?: number }

/** Each runner is a file of this folder, which exports it as `open`. */
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
