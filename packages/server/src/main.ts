import { existsSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from './config.ts'
import { keepCompiled } from './module-loading.ts'
import type { Service } from './service.ts'
import { checkAddress, explained } from './start/address.ts'
import { type Command, readCommand } from './start/command-line.ts'
import { isFirstStart } from './start/first-start.ts'
import { collectRarely } from './start/heap.ts'
import { misspeltVariables } from './start/misspelt-variables.ts'
import { onlyCredentials, welcome } from './start/welcome.ts'

/** After SIGTERM, the service drains for this long. Unfinished work stays in the database for the next start. */
const drainMs = 9000

const failures: Record<Command['name'], string> = {
  start: 'Could not start',
  print: 'Could not print',
  'admin-password': 'Could not set a new password',
  'admin-link': 'Could not make a link',
  'admin-key': 'Could not make an API key',
  'admin-email': 'Could not change the address',
  backup: 'Could not back up',
  restore: 'Could not restore',
  doctor: 'Could not examine',
}

const command = readCommand(process.argv.slice(2))
try {
  await carryOut(command)
} catch (error) {
  process.stderr.write(
    `${error instanceof ConfigError ? error.message : describe(error, failures[command.name])}\n`,
  )
  process.exitCode = 1
}

async function carryOut(command: Command): Promise<void> {
  if (command.name === 'print') {
    process[command.exitCode === 0 ? 'stdout' : 'stderr'].write(command.text)
    process.exitCode = command.exitCode
    return
  }
  if (existsSync('.env')) process.loadEnvFile('.env')
  if (command.name === 'doctor') {
    const { examine } = await import('./start/doctor/doctor.ts')
    const { text, isWell } = await examine(process.env, command.asJson)
    process.stdout.write(text)
    process.exitCode = isWell ? 0 : 1
    return
  }
  const config = readConfig(process.env)
  if (command.name === 'start') return start(config)
  process.stdout.write(await resultOf(command, config))
}

async function resultOf(
  command: Exclude<Command, { name: 'start' | 'print' | 'doctor' }>,
  config: Config,
): Promise<string> {
  if ('email' in command) {
    const { giveAdminAccess } = await import('./start/admin-access.ts')
    return giveAdminAccess(command, config)
  }
  const { backupCommand, restoreCommand } = await import('./start/backup-commands.ts')
  const carryOut = command.name === 'backup' ? backupCommand : restoreCommand
  const interrupted = interruption()
  try {
    return await carryOut(config, command.file, interrupted)
  } catch (error) {
    throw interrupted.aborted ? interrupted.reason : error
  }
}

/** Aborted when someone stops this process. What is under way then fails, and cleans up. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => controller.abort(new Error(`it was interrupted by ${signal}`)))
  }
  return controller.signal
}

async function start(config: Config): Promise<void> {
  collectRarely()
  await checkAddress(config)
  if (isFirstStart(config)) process.stdout.write(`Creating the database in ${config.dataDir} …\n`)
  await keepCompiled(config.dataDir)
  const { createService } = await import('./service.ts')
  const service = await createService(config)
  const { logger } = service
  for (const problem of misspeltVariables(process.env)) logger.warn({ problem }, 'misspelt setting')
  if (config.market.kind !== 'live') logger.warn({ market: config.market }, 'prices are not live')
  stopOnSignal(service)
  const address = await listen(service, config)
  logger.info(
    {
      address,
      database: config.databaseUrl === null ? 'embedded' : 'postgres',
      market: config.market.kind,
    },
    'tickwright is ready',
  )
  if (service.firstStart !== undefined) {
    process.stdout.write(welcome(service.firstStart, originFor(config, address)))
  }
  const { keepBundledPackages } = await import('./start/bundled-packages.ts')
  await keepBundledPackages().catch((err: unknown) => {
    logger.debug({ err }, 'packages could not be bundled; starts take longer')
  })
}

/** Where people open the dashboard: the public address, since pages work at no other. Port 0 says nothing. */
function originFor({ publicUrl }: Config, address: string): string {
  return new URL(publicUrl).port === '0' ? address : publicUrl
}

async function listen({ app, close, firstStart }: Service, { port, host }: Config): Promise<string> {
  try {
    return await app.listen({ port, host })
  } catch (error) {
    // Another program took the port after the check.
    if (firstStart !== undefined) process.stdout.write(onlyCredentials(firstStart))
    // Otherwise, child processes and timers would keep this process alive.
    await close()
    throw explained(error, { port, host })
  }
}

function stopOnSignal(service: Service): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    service.logger.info({ signal }, 'draining')
    setTimeout(() => {
      service.logger.error('not drained in time; unfinished work runs at the next start')
      process.exit(1)
    }, drainMs).unref()
    service.close().then(
      () => process.exit(0),
      (err: unknown) => {
        service.logger.error({ err }, 'some parts did not close')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function describe(error: unknown, failure: string): string {
  if (!(error instanceof Error)) return String(error)
  return process.env.LOG_LEVEL === 'debug' ? (error.stack ?? error.message) : `${failure}: ${error.message}`
}
