/**
 * `npm run fuzz [-- --seconds 600] [--target cron ...] [--seed 1] [--keep] [--list]`: looks for inputs that break what
 * the targets promise, and saves each as a test. See docs/fuzzing.md.
 */
import { isUtf8 } from 'node:buffer'
import { randomInt } from 'node:crypto'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finding, fuzz } from './fuzzer.ts'
import { type NamedTarget, readTargets, writeCorpus } from './inputs.ts'
import { WorkerProcess } from './worker-process.ts'

const usage = 'Usage: npm run fuzz -- [--seconds 60] [--target NAME ...] [--seed NUMBER] [--keep] [--list]'
const shownLength = 2_000

type Options = { targets: NamedTarget[]; seconds: number; seed: number; keep: boolean; list: boolean }

/** @throws {RangeError} that says what is wrong */
async function readOptions(): Promise<Options> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      target: { type: 'string', multiple: true },
      seed: { type: 'string' },
      keep: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  })
  const { target, keep, list } = values
  const seconds = numberOf('--seconds', values.seconds, 1, 1_000_000)
  const seed =
    values.seed === undefined ? randomInt(2 ** 32) : numberOf('--seed', values.seed, 0, 2 ** 32 - 1)
  return { targets: await readTargets(target), seconds, seed, keep, list }
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, got "${text}".`)
}

async function main(): Promise<void> {
  const { targets, seconds, seed, keep, list } = await readOptions()
  if (list) return console.log(targets.map(({ name }) => name).join('\n'))
  console.log(`${targets.length} targets, ${seconds} s, --seed ${seed}`)
  using worker = new WorkerProcess({ coverage: true })
  const findings: Finding[] = []
  for (const [index, named] of targets.entries()) {
    const milliseconds = (seconds * 1000) / targets.length
    const result = await fuzz(named, worker, { seed: seed + index, milliseconds })
    findings.push(...result.findings)
    const { executions, reached, corpus } = result
    const figures = [
      `${executions} executions`,
      `${reached} characters of code reached`,
      ...(corpus.length === 0 ? [] : [`${corpus.length} inputs in the corpus`]),
      `${result.findings.length} findings`,
    ]
    console.log(`${named.name.padEnd(24)}${figures.join(', ')}`)
    for (const finding of result.findings) console.log(described(named, finding))
    if (keep && named.target.format === 'bin' && corpus.length > 0) await writeCorpus(named.name, corpus)
  }
  if (findings.length === 0) return
  console.log(
    `\n${findings.length} findings, each of them a failing test: npm run test:file -- fuzz/findings.test.ts`,
  )
  process.exitCode = 1
}

function described({ name }: NamedTarget, { input, path, problem }: Finding): string {
  const text = isUtf8(input) ? JSON.stringify(input.toString('utf8')) : `hex ${input.toString('hex')}`
  const lines = [`Finding of ${name}, saved as ${relative(process.cwd(), path)}`]
  lines.push(`input (${input.length} bytes): ${text.slice(0, shownLength)}`, problem.text)
  return lines.join('\n').replaceAll(/^/gm, '  ')
}

await main().catch((error: NodeJS.ErrnoException) => {
  const isUsage = error instanceof RangeError || error.code?.startsWith('ERR_PARSE_ARGS')
  console.error(isUsage ? `${error.message}\n${usage}` : error)
  process.exitCode = 2
})
