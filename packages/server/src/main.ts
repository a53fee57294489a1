import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from './config.ts'
import { keepCompiled } from './module-loading.ts'
import type { Service } from './service.ts'
import { checkAddress, explained } from './start/address.ts'
import { answerTo } from './start/command-line.ts'
import { misspeltVariables } from './start/misspelt-variables.ts'
import { onlyCredentials, welcome } from './start/welcome.ts'

/** SIGTERM drains; what is not done by then is handed back by being left in the database. */
const drainMs = 9000

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : describe(error)}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const answer = answerTo(process.argv.slice(2))
  if (answer !== undefined) {
    process[answer.exitCode === 0 ? 'stdout' : 'stderr'].write(answer.text)
    process.exitCode = answer.exitCode
    return
  }
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
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
      database: config.databaseUrl === null ? 'pglite' : 'postgres',
      market: config.market.kind,
    },
    'tickwright is ready',
  )
  if (service.firstStart !== undefined) process.stdout.write(welcome(service.firstStart, address))
}

function isFirstStart({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl === null && !existsSync(join(dataDir, 'pglite'))
}

async function listen({ app, close, firstStart }: Service, { port, host }: Config): Promise<string> {
  try {
    return await app.listen({ port, host })
  } catch (error) {
    // Somebody took the port since it was checked.
    if (firstStart !== undefined) process.stdout.write(onlyCredentials(firstStart))
    // Its children and timers would keep this process alive.
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
      service.logger.error('not drained in time; what is left runs at the next start')
      process.exit(1)
    }, drainMs).unref()
    service.close().then(
      () => process.exit(0),
      (err: unknown) => {
        service.logger.error({ err }, 'not everything could be closed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return process.env.LOG_LEVEL === 'debug'
    ? (error.stack ?? error.message)
    : `Could not start: ${error.message}`
}
