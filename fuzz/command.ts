import { isUtf8 } from 'node:buffer'
import { randomInt } from 'node:crypto'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Finding, fuzz } from './fuzzer.ts'
import { findingsFolder, type NamedTarget, readTargets, writeCorpus } from './inputs.ts'
import { WorkerProcess } from './worker-process.ts'

const usage = 'Usage: npm run fuzz -- [--seconds 60] [--target NAME ...] [--seed NUMBER] [--keep] [--list]'
const shownLength = 2_000

/** The folders of the targets and of the findings. */
export type Places = { targets?: URL; findings?: URL }

type Options = { targets: NamedTarget[]; seconds: number; seed: number; keep: boolean; list: boolean }

/** Runs the command, and prints the results. @returns the exit code */
export async function runFuzzer(args: string[], places: Places = {}): Promise<0 | 1 | 2> {
  try {
    return (await run(await readOptions(args, places), places)) === 0 ? 0 : 1
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!(error instanceof RangeError) && !code?.startsWith('ERR_PARSE_ARGS')) throw error
    console.error(`${message}\n${usage}`)
    return 2
  }
}

/** @throws {RangeError} that says what is wrong */
async function readOptions(args: string[], { targets }: Places): Promise<Options> {
  const { values } = parseArgs({
    args,
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
  return { targets: await readTargets(target, targets), seconds, seed, keep, list }
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, got "${text}".`)
}

/** @returns the number of findings */
async function run({ targets, seconds, seed, keep, list }: Options, places: Places): Promise<number> {
  if (list) {
    console.log(targets.map(({ name }) => name).join('\n'))
    return 0
  }
  console.log(`${targets.length} targets, ${seconds} s, --seed ${seed}`)
  using worker = new WorkerProcess({ coverage: true })
  const { findings = findingsFolder } = places
  const found: Finding[] = []
  for (const [index, named] of targets.entries()) {
    const milliseconds = (seconds * 1000) / targets.length
    const result = await fuzz(named, worker, { seed: seed + index, milliseconds, findings })
    found.push(...result.findings)
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
  if (found.length > 0) {
    console.log(
      `\n${found.length} findings, each of them a failing test: npm run test:file -- fuzz/findings.test.ts`,
    )
  }
  return found.length
}

function described({ name }: NamedTarget, { input, path, problem }: Finding): string {
  const text = isUtf8(input) ? JSON.stringify(input.toString('utf8')) : `hex ${input.toString('hex')}`
  const lines = [`Finding of ${name}, saved as ${relative(process.cwd(), path)}`]
  lines.push(`input (${input.length} bytes): ${text.slice(0, shownLength)}`, problem.text)
  return lines.join('\n').replaceAll(/^/gm, '  ')
}
