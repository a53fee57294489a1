import { execFile } from 'node:child_process'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createApiClient } from '@tickwright/client'
import type { ApiAccess } from '../examples/access.ts'
import { startServiceProcess } from '../examples/service-process.ts'
import type { BenchContext, Benchmark } from './context.ts'
import type { Row, Section } from './report.ts'
import { median } from './statistics.ts'

const most = { helpMs: 150, pushMs: 5_000, unchangedMs: 1_000 }
const fileCount = 500
const program = join(import.meta.dirname, '../packages/cli/bin/tickwright.js')
const execute = promisify(execFile)

/** How long commands take, each a process of its own: help, and a push of many strategies to a service. */
export const commandLine: Benchmark = { name: 'cli', run }

async function run({ backend, quick }: BenchContext): Promise<Section> {
  const rounds = quick ? 2 : 9
  await using home = await mkdtempDisposable(join(tmpdir(), 'tickwright-home-'))
  const environment = { HOME: home.path, PATH: process.env.PATH }
  const start = (args: readonly string[], more: Record<string, string> = {}, cwd = home.path) =>
    timeOf(() => execute(process.execPath, args, { cwd, env: { ...environment, ...more } }))
  // The first start compiles the program, and keeps the result.
  await start([program, '--help'])
  const [floorMs, helpMs]: number[][] = [[], []]
  for (let round = 0; round < rounds; round++) {
    floorMs!.push(await start(['-e', '0']))
    helpMs!.push(await start([program, '--help']))
  }
  const rows: Row[] = [
    row('floor: Node starts, and ends', floorMs!),
    row('tickwright --help', helpMs!, most.helpMs),
  ]

  const [directMs, pushMs, unchangedMs]: number[][] = [[], [], []]
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    await using service = await startServiceProcess({ settings: await backend.emptyDatabase() })
    const push = (folder: string) => start([program, 'push'], accessOf(service.access), folder)
    directMs!.push(await timeOf(() => deploy(service.access)))
    await using project = await makeProject(`files-${round}`)
    pushMs!.push(await push(project.path))
    unchangedMs!.push(await push(project.path))
  }
  rows.push(
    row(`floor: one request that makes ${fileCount / 2} strategies`, directMs!),
    row(`push of ${fileCount} new files: ${fileCount / 2} strategies`, pushMs!, most.pushMs),
    row('push of the same files, unchanged', unchangedMs!, most.unchangedMs),
  )
  return { bench: 'cli', title: 'commands, from the start of the process until it has ended', rows }
}

const row = (name: string, times: readonly number[], mostMs?: number): Row => ({
  ...{ name, p50Ms: median(times), mostMs: Math.max(...times) },
  ...(mostMs === undefined ? {} : { target: { text: `within ${mostMs} ms`, met: median(times) <= mostMs } }),
})

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const accessOf = ({ baseUrl, apiKey, apiSecret }: ApiAccess) => ({
  TICKWRIGHT_URL: baseUrl,
  TICKWRIGHT_API_KEY: apiKey,
  TICKWRIGHT_API_SECRET: apiSecret,
})

const names = Array.from({ length: fileCount / 2 }, (_, n) => `strategy-${n}`)
const codeOf = (name: string) => `$.log('${name}', $.Price)\n`

/** The same objects by the API, without the checks of files. */
function deploy(access: ApiAccess) {
  const objects = names.map((name) => ({
    ...{ kind: 'code-strategy' as const, key: name },
    settings: { name, code: codeOf(name), cron_interval: '1H' },
  }))
  return createApiClient(access).request('POST /api/v2/deploy {body}', { project: 'direct', objects })
}

/** A folder with two files for each strategy. */
async function makeProject(project: string) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'tickwright-files-'))
  const strategies = join(folder.path, 'strategies')
  await writeFile(join(folder.path, 'tickwright.yaml'), `project: ${project}\n`)
  await mkdir(strategies)
  await Promise.all(
    names.flatMap((name) => [
      writeFile(join(strategies, `${name}.js`), codeOf(name)),
      writeFile(join(strategies, `${name}.yaml`), `name: ${project} ${name}\ncron_interval: 1H\n`),
    ]),
  )
  return folder
}
