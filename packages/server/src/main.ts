import { existsSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from './config.ts'
import { keepCompiled } from './module-loading.ts'
import type { Service } from './service.ts'

/** SIGTERM drains; what is not done by then is handed back by being left in the database. */
const drainMs = 9000

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : describe(error)}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
  await keepCompiled(config.dataDir)
  const { createService } = await import('./service.ts')
  const service = await createService(config)
  const { logger } = service
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

async function listen({ app, close }: Service, { port, host }: Config): Promise<string> {
  try {
    return await app.listen({ port, host })
  } catch (error) {
    // Its children and timers would keep this process alive.
    await close()
    throw error
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

/** What is shown once: the only time that a password or a secret is printed. */
function welcome(first: NonNullable<Service['firstStart']>, address: string): string {
  const lines = ['', `Tickwright is ready at ${address} (API reference: ${address}/docs)`, '']
  lines.push(`  administrator  ${first.email}`)
  if (first.password !== undefined) lines.push(`  password       ${first.password}`)
  if (first.apiKey !== undefined) {
    lines.push(`  API key        ${first.apiKey.key}`, `  API secret     ${first.apiKey.secret}`)
  }
  if (first.password !== undefined || first.apiKey !== undefined) {
    lines.push('', '  Keep these: they are shown this once.')
  }
  if (first.example !== undefined) {
    lines.push(
      '',
      'An example strategy looks at the simulated market every ten seconds, and a paper bot follows it.',
      'Set the example reaction off, and see its signal and its order in the log:',
      '',
      `  ${first.example.curl}`,
    )
  }
  return `${lines.join('\n')}\n\n`
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return process.env.LOG_LEVEL === 'debug'
    ? (error.stack ?? error.message)
    : `Could not start: ${error.message}`
}
