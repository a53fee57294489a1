/** The stored inputs: `corpus/<target>.json` to start from, `findings/<target>/` for those that failed once. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Target } from './target.ts'

const folder = new URL('./', import.meta.url)

export type NamedTarget = { name: string; module: string; target: Target }

/** All targets of a folder, or those with these names. @throws {RangeError} for an unknown name */
export async function readTargets(
  names?: readonly string[],
  place = new URL('targets/', folder),
): Promise<NamedTarget[]> {
  const files = (await readdir(place)).filter((file) => file.endsWith('.ts')).sort()
  const all = files.map((file) => basename(file, '.ts'))
  const unknown = names?.find((name) => !all.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`There is no target "${unknown}". There are ${all.join(', ')}.`)
  return Promise.all((names ?? all).map((name) => readTarget(name, new URL(`${name}.ts`, place))))
}

export async function readTarget(name: string, module: URL): Promise<NamedTarget> {
  return { name, module: module.href, target: (await import(module.href)).default as Target }
}

/** A file of inputs is JSON: a text, or `{ hex }` for bytes that are not text. */
type Written = string | { hex: string }

/** Inputs that earlier sessions kept. */
export async function readCorpus(name: string): Promise<Buffer[]> {
  const text = await readFile(new URL(`corpus/${name}.json`, folder), 'utf8').catch(missing('[]'))
  return (JSON.parse(text) as Written[]).map((one) =>
    typeof one === 'string' ? Buffer.from(one) : Buffer.from(one.hex, 'hex'),
  )
}

export async function writeCorpus(name: string, inputs: readonly Buffer[]): Promise<void> {
  const lines = inputs.map((input) =>
    JSON.stringify(isUtf8(input) ? input.toString('utf8') : { hex: input.toString('hex') }),
  )
  await mkdir(new URL('corpus/', folder), { recursive: true })
  await writeFile(new URL(`corpus/${name}.json`, folder), `[\n${lines.join(',\n')}\n]\n`)
}

/** Inputs that failed once. */
export async function readFindings(name: string): Promise<{ path: string; input: Buffer }[]> {
  const place = new URL(`findings/${name}/`, folder)
  const files = await readdir(place).catch(missing([]))
  return Promise.all(
    files.sort().map(async (file) => {
      const path = fileURLToPath(new URL(file, place))
      return { path, input: await readFile(path) }
    }),
  )
}

/** Saves an input under a name derived from it. @returns the path of the file */
export async function saveFinding(
  findings: URL,
  { name, target }: NamedTarget,
  input: Buffer,
): Promise<string> {
  const place = new URL(`${name}/`, findings)
  await mkdir(place, { recursive: true })
  const hash = createHash('sha256').update(input).digest('hex').slice(0, 12)
  const path = fileURLToPath(new URL(`${hash}.${target.format}`, place))
  await writeFile(path, input)
  return path
}

export const findingsFolder = new URL('findings/', folder)

function missing<T>(instead: T) {
  return (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return instead
    throw error
  }
}
