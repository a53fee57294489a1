/** The environments of attacks: the real pool, and one executor without the text check. */

import { fileURLToPath } from 'node:url'
import { executorCommand } from '../../src/containment.ts'
import { loadGuestCode } from '../../src/guest-code.ts'
import { openSandbox, type RunOutcome, type RunRequest, type Sandbox } from '../../src/index.ts'
import { Slot } from '../../src/slot.ts'

export type Limits = { timeoutMs: number; memoryLimitMb: number }

export type Runner = {
  run(request: RunRequest): Promise<RunOutcome>
  stats(): { alive: number; respawns: number }
  close(): Promise<void>
}

const apiClient = {
  modulePath: fileURLToPath(new URL('../../../client/src/sandbox.ts', import.meta.url)),
  baseUrl: 'https://service.example',
}

/** A sandbox of one executor, with all members of `$`. */
export function openChecked(limits: Limits): Promise<Runner> {
  return openSandbox({ executors: 1, apiClient, ...limits })
}

/** A sandbox with an executor for series. With the lowest priority, a busy machine would take away the time of most runs. */
export function openForSeries(limits: Limits): Promise<Sandbox> {
  return openSandbox({
    ...{ executors: 1, seriesExecutors: 1, seriesPriority: 'normal', apiClient },
    ...limits,
  })
}

const residentLimitBytes = 1024 ** 3
const sweepMs = 25

/** The same without the text check, to show that the other layers hold without it. */
export async function openUnchecked(limits: Limits): Promise<Runner> {
  const [code, command] = await Promise.all([
    loadGuestCode(apiClient.modulePath),
    executorCommand({ jit: true, residentLimitBytes }),
  ])
  let attemptIds = 0
  const slot = new Slot({
    command,
    code,
    open: {
      type: 'open',
      ...limits,
      serviceWaitMs: 1_000,
      runsPerIsolate: 1_000,
      warmIsolates: 64,
      entersDirectly: true,
      apiBaseUrl: apiClient.baseUrl,
      scripts: code.scripts,
    },
    residentLimitBytes,
    nextAttemptId: () => ++attemptIds,
    log: () => {},
  })
  await slot.open()
  const sweeper = setInterval(() => slot.sweep(performance.now()), sweepMs)
  const codeIds = new Map<string, number>()
  const codeIdOf = (text: string) => {
    if (!codeIds.has(text)) codeIds.set(text, codeIds.size + 1)
    return codeIds.get(text)!
  }
  return {
    run: (request) =>
      new Promise((settle) => {
        const task = { request, codeId: codeIdOf(request.code), deaths: 0, alone: false, seed: 1 }
        slot.add({ ...task, requestedAt: performance.now(), settle })
      }),
    stats: () => ({ alive: Number(slot.alive), respawns: slot.respawns }),
    async close() {
      await slot.close()
      clearInterval(sweeper)
    },
  }
}
