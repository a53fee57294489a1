import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { List } from '@tickwright/client'
import { ending, expect, freePort, ready } from './processes.ts'

type Library = typeof import('@tickwright/client')
type Client = ReturnType<Library['createApiClient']>

/** What is installed in a folder, and the Node and the environment that it runs with. */
type Installed = { node: string; folder: string; env: NodeJS.ProcessEnv }

const execute = promisify(execFile)
const minute = 60_000
const longestRunMs = 60_000

/**
 * Does with an installed service what its users do: a start, a payload and its run, a backtest, a backup, and a restore
 * into a new data folder. @returns what it saw, a line each @throws {Error} that says what does not hold
 */
export async function tryService(installed: Installed): Promise<string[]> {
  const { folder } = installed
  const file = join(folder, 'today.backup')
  const before = await withService(installed, 'data', async ({ url, hook, command }) => {
    const page = await fetch(`${url}/`)
    expect(page.ok && (await page.text()).includes('<script'), 'The dashboard is missing.')
    const { parts } = (await (await fetch(`${url}/health/ready`)).json()) as {
      parts: { worker: { executors: number; containment: string } }
    }
    const { executors, containment } = parts.worker
    expect(executors > 0, 'No strategy can run.')
    const client = await clientOf(installed, url, await command('admin', 'key'))
    await post(hook())
    await untilSucceeded(client, 1)
    const trades = await backtest(installed, client)
    await command('backup', file)
    return [
      `It serves the dashboard, and runs strategies in ${executors} processes; containment is ${containment}.`,
      `A backtest of 60 candles has ${trades} trades.`,
    ]
  })
  await mkdir(join(folder, 'restored'))
  await copyFile(join(folder, 'data/master.key'), join(folder, 'restored/master.key'))
  await tickwright(installed, { DATA_DIR: join(folder, 'restored') }, 'restore', file)
  const after = await withService(installed, 'restored', async ({ url, command }) => {
    const client = await clientOf(installed, url, await command('admin', 'key'))
    await untilSucceeded(client, 1)
    const count = countOf(await client.backtests.list())
    expect(count === 1, `${count} backtests are left.`)
    return ['A backup, restored into a new folder, has the run and the backtest.']
  })
  return [...before, ...after]
}

type Service = {
  url: string
  /** The address of the webhook that the first start shows. */
  hook(): string
  /** Runs a command of the command line, with the settings of this service. @returns what it printed */
  command(...args: string[]): Promise<string>
}

async function withService<T>(
  installed: Installed,
  data: string,
  fn: (service: Service) => Promise<T>,
): Promise<T> {
  const { node, folder, env } = installed
  const port = await freePort()
  const own = {
    ...{ HOST: '127.0.0.1', PORT: String(port), MARKET: 'sim', LOG_LEVEL: 'warn' },
    DATA_DIR: join(folder, data),
  }
  const child = spawn(node, [programOf(folder), 'start'], {
    ...{ cwd: folder, env: { ...env, ...own } },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await using _ = ending(child)
  let written = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  const url = `http://127.0.0.1:${port}`
  await ready(`${url}/health/ready`, child)
  const hook = () => {
    const [address] = /http\S+\/data-webhook\/\S+/.exec(written) ?? []
    expect(address !== undefined, `The start shows no example: ${written}`)
    return address
  }
  return await fn({ url, hook, command: (...args) => tickwright(installed, own, ...args) })
}

async function tickwright(
  { node, folder, env }: Installed,
  settings: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<string> {
  const options = { cwd: folder, env: { ...env, ...settings } }
  return (await execute(node, [programOf(folder), ...args], options)).stdout
}

const programOf = (folder: string) => join(folder, 'node_modules/tickwright/bin/tickwright.js')

/** The client library that npm has installed there, with the key that `admin key` printed. */
async function clientOf({ folder }: Installed, url: string, printed: string): Promise<Client> {
  const { createApiClient } = await libraryOf(folder)
  const of = (name: string) => new RegExp(`${name}\\s+(\\S+)`).exec(printed)?.[1] ?? ''
  return createApiClient({ baseUrl: url, apiKey: of('API key'), apiSecret: of('API secret') })
}

async function libraryOf(folder: string): Promise<Library> {
  const path = createRequire(join(folder, 'package.json')).resolve('@tickwright/client')
  return (await import(pathToFileURL(path).href)) as Library
}

async function post(address: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(address, { method: 'POST', headers, body: '{"price":100}' })
  expect(status === 202, `The example gets ${status}.`)
}

const countOf = (list: List<unknown>) => ('items' in list ? list.items : list).length

async function untilSucceeded(client: Client, number: number): Promise<void> {
  for (const start = Date.now(); Date.now() - start < longestRunMs; await wait(100)) {
    if (countOf(await client.runs.list({ status: 'SUCCEEDED' })) >= number) return
  }
  throw new Error('No run has succeeded.')
}

/** A strategy that changes sides with each candle, on an hour of them. @returns the number of its trades */
async function backtest({ folder }: Installed, client: Client): Promise<number> {
  const start = Date.UTC(2026, 0, 5)
  const lines = Array.from({ length: 60 }, (_, at) => `${start + at * minute},100,103,99,${100 + (at % 3)},1`)
  const csv = `time,open,high,low,close,volume\n${lines.join('\n')}\n`
  const { id: candle_id } = await client.candles.create({
    name: 'Minutes',
    symbol: 'BTC/USDT',
    interval: '1m',
  })
  await client.candles.import(candle_id, { csv })
  const code = `await $.Strategy.action($.Strategy.lastTrigger.action === 'LONG' ? 'SHORT' : 'LONG')`
  const made = await client.backtests.create({ code, candle_id, bots: [{ amount: 100 }] })
  expect('id' in made, 'The service only estimates.')
  const { waitForBacktest } = await libraryOf(folder)
  const { status } = await waitForBacktest(client, made.id)
  expect(status === 'FINISHED', `The backtest is ${status}.`)
  return countOf(await client.backtests.trades(made.id))
}
