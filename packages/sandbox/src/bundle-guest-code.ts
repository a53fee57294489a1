/** Bundles the code that runs in executors from its sources. */

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Identifier, type Node, parse } from 'acorn'
import { build, stop } from 'esbuild'
import type { GuestScripts } from './messages.ts'

export type GuestCode = { executor: string; scripts: GuestScripts }

let bundling = 0

/** @param clientPath the module of `$.Http.createApiClient` */
export async function bundleGuestCode(clientPath: string | undefined): Promise<GuestCode> {
  bundling += 1
  try {
    return await bundleAll(clientPath)
  } finally {
    bundling -= 1
    // The bundler is a separate process, which would otherwise run as long as this one.
    if (bundling === 0) await stop()
  }
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
 * A library with the script that puts it into the snapshot. The script freezes all its classes and functions, even those
 * that it does not export: otherwise runs could share state through them.
 */
async function libraryScript(installer: string, contents: string): Promise<string> {
  const [install, freeze, library] = await Promise.all([
    guestScript(installer).then(functionOf),
    guestScript('snapshot/freeze-library.js').then(functionOf),
    bundle({ stdin: { contents, resolveDir: here('.') }, format: 'esm' }),
  ])
  const { body, exported, declared } = analyse(library)
  const exportsText = exported.map(({ name, local }) => `${JSON.stringify(name)}: ${local}`).join(', ')
  // A function around the library keeps its declarations from becoming globals.
  const load = `function (structuredClone, Intl) {${body}\nreturn { exports: { ${exportsText} }, all: [${declared}] }}`
  return `(${install})((${load}), (${freeze}))`
}

type Library = { body: string; exported: { name: string; local: string }[]; declared: string[] }

/** Finds what a bundle declares and exports. The bundler puts all exports into one statement at the end. */
function analyse(bundle: string): Library {
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

/** A script that evaluates to the function which boots a context. */
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

/** The function in a script, which consists of a comment, a semicolon for the formatter, and the function in parentheses. */
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
