import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import type { TypeFiles } from '../src/parts/editor/types/messages.ts'

const packages = join(import.meta.dirname, '..', '..')
const runtimeTypes = join(packages, 'runtime-types')

/** Everything that the types of `$` consist of: the libraries of JavaScript that strategies have, `runtime-types`, and what that imports. */
export async function typeFiles(): Promise<TypeFiles> {
  const signals = dirname(createRequire(join(runtimeTypes, 'package.json')).resolve('trading-signals'))
  const [libraries, ...others] = await Promise.all([
    strategyLibraries(),
    reachable('/runtime-types', runtimeTypes, 'es2025.d.ts'),
    reachable('/client', join(packages, 'client', 'src'), 'sandbox.ts').then(withShortComments),
    reachable('/trading-signals', signals, 'index.d.ts'),
  ])
  return {
    files: Object.fromEntries([libraries.files, ...others].flatMap((files) => [...files])),
    libraries: libraries.names,
  }
}

/** A file of a folder, and all that it imports from there. */
async function reachable(place: string, folder: string, first: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const wanted = [first]
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (files.has(`${place}/${name}`)) continue
    const text = await readFile(join(folder, name), 'utf8')
    files.set(`${place}/${name}`, text)
    for (const [, specifier] of text.matchAll(/\bfrom '(\.[^']+)'/g))
      wanted.push(posix.join(posix.dirname(name), specifier!.replace(/\.js$/, '.d.ts')))
  }
  return files
}

/**
 * The first sentence of each comment of a line, and no indentation, which nobody sees: the whole API as it is written
 * would make the worker 11 KB larger.
 */
function withShortComments(files: Map<string, string>): Map<string, string> {
  const line = /\/\*\* ((?:(?!\*\/).)+?\.)(?: (?:(?!\*\/).)+)? \*\//g
  return new Map(
    [...files].map(([name, text]) => [name, text.replaceAll(line, '/** $1 */').replaceAll(/^ +/gm, '')]),
  )
}

/** Each comment up to its first tag but `@deprecated`, in one line: the rest would make the worker 17 KB larger. */
function withoutTags(text: string): string {
  return text
    .replaceAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\//g, (whole: string, comment: string) => {
      if (whole.includes('@deprecated')) return whole
      const said = comment.split(/\n\s*\*\s*@/, 1)[0]!
      return `/** ${said.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim()} */`
    })
    .replaceAll(/^ +/gm, '')
}

/** The libraries that the configuration for strategies names, and those that these refer to. */
async function strategyLibraries(): Promise<{ files: Map<string, string>; names: string[] }> {
  const folder = dirname(createRequire(import.meta.url).resolve('typescript'))
  const names = await Promise.all((await configuredLibraries()).map((name) => libraryFile(folder, name)))
  const files = new Map<string, string>()
  const wanted = [...names]
  for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
    if (files.has(`/lib/${name}`)) continue
    const text = await readFile(join(folder, name), 'utf8')
    files.set(`/lib/${name}`, withoutTags(text))
    for (const [, library] of text.matchAll(/^\/\/\/ <reference lib="([^"]+)"/gm))
      wanted.push(await libraryFile(folder, library!))
  }
  return { files, names }
}

/** The configuration has comments, so it is no JSON. */
async function configuredLibraries(): Promise<string[]> {
  const text = await readFile(join(runtimeTypes, 'tsconfig.strategy.json'), 'utf8')
  const [, list] = /"lib": \[([^\]]*)\]/.exec(text)!
  // What `es2025.d.ts` adds for compilers that know it.
  const added = await readFile(join(runtimeTypes, 'es2025.d.ts'), 'utf8')
  return [
    ...[...list!.matchAll(/"([^"]+)"/g)].map(([, name]) => name!),
    ...[...added.matchAll(/<reference lib="([^"]+)"/g)].map(([, name]) => name!),
  ]
}

/** What was proposed when the configuration was written may be part of a year's standard now. */
async function libraryFile(folder: string, name: string): Promise<string> {
  const part = name.replace(/^esnext\./, '')
  const candidates = [name, ...(part === name ? [] : [`es2025.${part}`])].map((one) => `lib.${one}.d.ts`)
  for (const file of candidates) {
    const isThere = await readFile(join(folder, file)).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  throw new Error(`TypeScript has no library ${name}.`)
}
