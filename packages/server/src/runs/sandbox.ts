import { fileURLToPath } from 'node:url'
import { openSandbox, type Sandbox, type SandboxOptions, type SandboxStats } from '@tickwright/sandbox'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { containmentRemedy } from './containment-needs.ts'

/** Opens a sandbox with this installation's settings; each caller chooses the remaining options. */
export type OpenSandbox = (
  options: Pick<SandboxOptions, 'executors' | 'probation' | 'probationPriority' | 'warmIsolates'>,
) => Promise<Sandbox>

/**
 * Each sandbox that it opens reports its containment to the log, with what to do about missing layers.
 * @throws if a layer is missing, and the settings demand all of them
 */
export function sandboxOpener(
  config: Pick<Config, 'sandboxRunsPerIsolate' | 'sandboxJit' | 'demandsFullContainment' | 'publicUrl'>,
  logger: Logger,
): OpenSandbox {
  const modulePath = fileURLToPath(import.meta.resolve('@tickwright/client/sandbox'))
  return async (options) => {
    const sandbox = await openSandbox({
      ...options,
      runsPerIsolate: config.sandboxRunsPerIsolate,
      jit: config.sandboxJit,
      apiClient: { modulePath, baseUrl: config.publicUrl },
      log: (event, fields) => logger.warn({ ...fields, ...remedyFor(event, fields) }, event),
    })
    const stats = sandbox.stats()
    if (config.demandsFullContainment && stats.containment !== 'full') {
      await sandbox.close()
      throw incomplete(stats)
    }
    const { executors, containment, containmentLayers, containmentMissing } = stats
    logger.info({ executors, containment, containmentLayers, containmentMissing }, 'executors started')
    return sandbox
  }
}

type Missing = SandboxStats['containmentMissing']

function remedyFor(event: string, { missing }: Record<string, unknown>): { remedy?: string } {
  if (event !== 'containment incomplete') return {}
  return { remedy: containmentRemedy(Object.keys(missing as object) as Missing) }
}

function incomplete({ containment, containmentMissing: missing }: SandboxStats): Error {
  return new Error(
    `The containment of strategies is ${containment} here, and CONTAINMENT=full demands all of it. Missing: ${missing.join(', ')}. ${containmentRemedy(missing)}`,
  )
}
