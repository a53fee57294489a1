import { type Client, createClient } from './client.ts'
import { createTestDatabase } from './databases.ts'
import { administratorKey, testEnvironment } from './environment.ts'
import { freePort } from './free-port.ts'
import type { ServiceOptions } from './service.ts'
import { type LaunchedService, launchService, untilReady, withOutput } from './service-launcher.ts'
import { until } from './until.ts'

/** A service in a process of its own, and a client of it. */
export type ServiceProcess = LaunchedService & Client & { url: string }

export type ProcessOptions = ServiceOptions & {
  /** A program with arguments that prepares its surroundings and then becomes the service. */
  through?: readonly string[]
}

/**
 * Starts `main.ts` and waits until `/health/ready` says so.
 * @throws {Error} with all its output, if it ends or does not become ready
 */
export async function startProcess({
  database,
  env = {},
  through,
}: ProcessOptions = {}): Promise<ServiceProcess> {
  await using acquired = new AsyncDisposableStack()
  const place = database ?? acquired.use(await createTestDatabase())
  const port = env.PORT ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const settings = testEnvironment(place, { PORT: String(port), LOG_LEVEL: 'info', ...env })
  const service = acquired.use(launchService(settings, [], through))
  await untilReady(service, url)
  const kept = acquired.move()
  const client = createClient(url, administratorKey)
  return { ...client, ...service, url, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Starts `main.ts` when a test expects that it cannot start, and waits until it has ended by itself. */
export function startInVain(
  options: ProcessOptions = {},
): Promise<{ exit: number | string; output: string }> {
  return runCommand([], options)
}

/** Runs `main.ts` with arguments, and waits until it has ended by itself. */
export async function runCommand(
  args: string[],
  { database, env = {}, through }: ProcessOptions = {},
): Promise<{ exit: number | string; output: string }> {
  await using acquired = new AsyncDisposableStack()
  const place = database ?? acquired.use(await createTestDatabase())
  const child = acquired.use(launchService(testEnvironment(place, env), args, through))
  await withOutput(
    child,
    until('the process to end', async () => child.hasEnded()),
  )
  return { exit: await child.ended, output: child.output() }
}
