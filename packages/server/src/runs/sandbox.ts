import { fileURLToPath } from 'node:url'
import { openSandbox, type Sandbox, type SandboxOptions } from '@tickwright/sandbox'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

/** Opens a sandbox with this installation's settings; each caller chooses the remaining options. */
export type OpenSandbox = (
  options: Pick<SandboxOptions, 'executors' | 'probation' | 'warmIsolates'>,
) => Promise<Sandbox>

export function sandboxOpener(
  config: Pick<Config, 'sandboxRunsPerIsolate' | 'sandboxJit' | 'publicUrl'>,
  logger: Logger,
): OpenSandbox {
  const modulePath = fileURLToPath(import.meta.resolve('@tickwright/client/sandbox'))
  return async (options) => {
    const sandbox = await openSandbox({
      ...options,
      runsPerIsolate: config.sandboxRunsPerIsolate,
      jit: config.sandboxJit,
      apiClient: { modulePath, baseUrl: config.publicUrl },
      log: (event, fields) => logger.warn(fields, event),
    })
    const { executors, containment, containmentLayers, containmentMissing } = sandbox.stats()
    logger.info({ executors, containment, containmentLayers, containmentMissing }, 'executors started')
    return sandbox
  }
}
