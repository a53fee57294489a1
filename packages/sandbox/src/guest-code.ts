/**
 * The texts that run on the other side: the executor's program and the scripts of an isolate.
 *
 * Executors cannot read TypeScript by themselves: without JIT there is no WebAssembly, which Node's type stripping
 * is made of; and the less they may read, the better. So they are given everything as text.
 */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Identifier, type Node, parse } from 'acorn'
import { build, stop } from 'esbuild'
import type { GuestScripts } from './messages.ts'

export type GuestCode = { executor: string; scripts: GuestScripts }

const loaded = new Map<string | undefined, Promise<GuestCode>>()
let loading = 0

/**
 * Bundles once a process; the texts depend on nothing but the installed files.
 * @param clientPath the module of `$.Http.createApiClient`
 */
export function loadGuestCode(clientPath?: string): Promise<GuestCode> {
  let code = loaded.get(clientPath)
  if (code === undefined) {
    loading += 1
    code = bundleAll(clientPath).finally(() => {
      loading -= 1
      // The bundler is a process of its own that would stay for as long as this one.
      if (loading === 0) return stop()
    })
    loaded.set(clientPath, code)
  }
  return code
}

async function bundleAll(clientPath: string | undefined): Promise<GuestCode> {
  const [executor, indicators, client, runtime, harden] = await Promise.all([
    bundle({ entryPoints: [here('executor/main.ts')], platform: 'node', format: 'cjs' }),
    libraryScript('snapshot/indicators.js', `export * from 'trading-signals'`),
    clientPath === undefined
      ? ''
      : libraryScript('snapshot/api-client.js', `export * from ${JSON.stringify(clientPath)}`),
    runtimeScript(),
    guestScript('harden.js'),
  ])
  return { executor, scripts: { indicators, client, runtime, harden } }
}

/**
 * A library with the script that puts it into the snapshot. Its classes and functions are handed over to be frozen
 * whether it exports them or not: what its objects lead to would be shared by all runs otherwise.
 */
async function libraryScript(installer: string, contents: string): Promise<string> {
  const [install, freeze, library] = await Promise.all([
    guestScript(installer).then(functionOf),
    guestScript('snapshot/freeze-library.js').then(functionOf),
    bundle({ stdin: { contents, resolveDir: here('.') }, format: 'esm' }),
  ])
  const { body, exported, declared } = takeApart(library)
  const exportsText = exported.map(({ name, local }) => `${JSON.stringify(name)}: ${local}`).join(', ')
  // The library is a function's own affair, so that nothing of it becomes a global.
  const load = `function (structuredClone, Intl) {${body}\nreturn { exports: { ${exportsText} }, all: [${declared}] }}`
  return `(${install})((${load}), (${freeze}))`
}

type Library = { body: string; exported: { name: string; local: string }[]; declared: string[] }

/** What a bundle declares and what of it it exports: the bundler puts the exports last, in one statement. */
function takeApart(bundle: string): Library {
  const { body } = parse(bundle, { ecmaVersion: 'latest', sourceType: 'module' })
  const last = body.at(-1)
  if (last?.type !== 'ExportNamedDeclaration') throw new Error('A library of the sandbox exports nothing.')
  const exported = last.specifiers.map(({ exported, local }) => ({
    name: nameOf(exported),
    local: nameOf(local),
  }))
  const declared = body.flatMap((statement) => {
    if (statement.type === 'VariableDeclaration') return statement.declarations.map(({ id }) => nameOf(id))
    if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration')
      return [statement.id.name]
    return []
  })
  return { body: bundle.slice(0, last.start), exported, declared }
}

function nameOf(node: Node): string {
  if (node.type !== 'Identifier') throw new Error(`A library of the sandbox declares a ${node.type}.`)
  return (node as Identifier).name
}

/** Evaluates to the function that boots a context. */
async function runtimeScript(): Promise<string> {
  const entryPoints = [here('executor/guest/runtime/boot.js')]
  const modules = await bundle({ entryPoints, format: 'iife', globalName: 'runtime' })
  return `(function () {${modules}\nreturn runtime.boot})()`
}

function guestScript(name: string): Promise<string> {
  return readFile(here(`executor/guest/${name}`), 'utf8')
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}

/** A script is a comment, a semicolon for the formatter's sake, and one parenthesised function. */
function functionOf(script: string): string {
  return script
    .slice(script.indexOf(';(') + 2)
    .trimEnd()
    .replace(/\)$/, '')
}

async function bundle(options: Parameters<typeof build>[0]): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    bundle: true,
    write: false,
    target: 'node26',
    legalComments: 'none',
    logLevel: 'silent',
  })
  return outputFiles![0]!.text
}
