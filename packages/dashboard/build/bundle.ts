import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { firstFile } from './first-file.ts'
import { memberTable } from './members.ts'
import { pagePaths } from './page-paths.ts'
import { typeFiles } from './type-files.ts'

/** The files of the dashboard by their paths, not compressed. */
export type Bundle = Map<string, { type: string; contents: Uint8Array }>

const root = join(import.meta.dirname, '..')
const entryPoint = 'src/main.tsx'
const earlyEntryPoint = 'src/early.ts'
const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

/** What every build has in common. Names contain the hash of their contents, so that browsers may keep them for ever. */
const options = {
  absWorkingDir: root,
  outdir: join(root, 'dist'),
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  splitting: true,
  target: ['chrome123', 'firefox128', 'safari17.5'],
  jsx: 'automatic',
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  legalComments: 'none',
  logLevel: 'silent',
} satisfies BuildOptions

/**
 * Tells Chromium to compile all functions of a script while it loads, beside the page. It would otherwise compile each
 * one when it is first called, while the page waits: a third of what the first page takes. Other browsers ignore it.
 */
const compileAhead = Buffer.from('//# allFunctionsCalledOnLoad\n')

export type BundleOptions = {
  /** For developers: readable code, source maps, and the gallery of all components. */
  development?: boolean
}

/** @throws {Error} with the messages of esbuild if the sources cannot be built */
export async function bundle({ development = false }: BundleOptions = {}): Promise<Bundle> {
  const [worker, members] = await Promise.all([typesWorker(), memberTable()])
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [
      { in: entryPoint, out: 'main' },
      { in: earlyEntryPoint, out: 'early' },
    ],
    plugins: [firstFile(join(root, entryPoint))],
    minify: !development,
    sourcemap: development ? 'inline' : false,
    define: {
      'process.env.NODE_ENV': development ? '"development"' : '"production"',
      IN_DEVELOPMENT: String(development),
      // A text within the text of a constant.
      RUNTIME_MEMBERS: JSON.stringify(JSON.stringify(members)),
      TYPES_WORKER: JSON.stringify(worker.path),
      VERSION: JSON.stringify(await version()),
    },
  })
  const files: Bundle = new Map([[worker.path, worker]])
  const first = new FirstLoad(metafile)
  const compiledAhead = new Set([first.early, first.script, ...first.beside('/')])
  for (const { path, contents } of outputFiles) {
    const name = path.slice(options.outdir.length)
    // The style of the entry has that of every page.
    if (extname(name) === '.css' && name !== first.style) continue
    const told = compiledAhead.has(name) ? Buffer.concat([compileAhead, contents]) : contents
    files.set(name, { type: typeOf(name), contents: told })
  }
  const icon = await addAsset(files, 'icon.svg', {})
  const manifest = await addAsset(files, 'manifest.webmanifest', { icon })
  const template = await readFile(join(root, 'src', 'index.html'), 'utf8')
  for (const path of pagePaths) {
    const { style, early, script } = first
    const preloads = first.beside(path).map((file) => `<link rel="modulepreload" href="${file}">`)
    const page = fill(template, { icon, manifest, style, early, script, preloads: preloads.join('\n    ') })
    files.set(path, { type: 'text/html; charset=utf-8', contents: Buffer.from(page) })
  }
  return files
}

/** What a document names, so that the browser fetches it at once: paths of files. */
class FirstLoad {
  /** The script that runs first. What it imports belongs to the entry too. */
  readonly early: string
  readonly script: string
  readonly style: string
  #outputs: Metafile['outputs']
  #script: string

  constructor({ outputs }: Metafile) {
    const of = (source: string) => Object.entries(outputs).find(([, output]) => output.entryPoint === source)!
    const [script, { cssBundle }] = of(entryPoint)
    this.#outputs = outputs
    this.early = pathOf(of(earlyEntryPoint)[0])
    this.#script = script
    this.script = pathOf(script)
    this.style = pathOf(cssBundle!)
  }

  /** The scripts that a page needs beside the entry, that of `/runs` from `src/pages/runs/page.tsx`. */
  beside(pagePath: string): string[] {
    const source = `src/pages${pagePath}/page.tsx`
    const page = Object.entries(this.#outputs).find(([, output]) => output.entryPoint === source)
    const wanted = new Set([this.#script, ...(page === undefined ? [] : [page[0]])])
    // A set also goes through what is added meanwhile.
    for (const name of wanted)
      for (const { kind, path } of this.#outputs[name]!.imports)
        if (kind === 'import-statement') wanted.add(path)
    wanted.delete(this.#script)
    return [...wanted].map(pathOf)
  }
}

const pathOf = (output: string) => output.replace(/^dist/, '')

/** The worker that knows the types of `$`. Its path becomes part of the other scripts, so it is built before them. */
async function typesWorker(): Promise<{ path: string; type: string; contents: Uint8Array }> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [{ in: 'src/parts/editor/types/worker.ts', out: 'types' }],
    // A worker that is no module needs no policy for modules, and its one file has everything.
    format: 'iife',
    splitting: false,
    // Also for developers: the compiler is large, and nobody reads it here.
    minify: true,
    define: { TYPE_FILES: JSON.stringify(await typeFiles()) },
  })
  const { path, contents } = outputFiles[0]!
  const name = path.slice(options.outdir.length)
  return { path: name, type: typeOf(name), contents }
}

/** The version of the dashboard, which is that of the service. */
async function version(): Promise<string> {
  const manifest: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  return manifest.version
}

/** Adds a file that the document names, and resolves with its path. */
async function addAsset(files: Bundle, name: string, values: Record<string, string>): Promise<string> {
  const contents = Buffer.from(fill(await readFile(join(root, 'src', 'look', name), 'utf8'), values))
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8)
  const path = `/assets/${basename(name, extname(name))}-${hash}${extname(name)}`
  files.set(path, { type: typeOf(name), contents })
  return path
}

/** Replaces each `{{name}}`. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]!)
}

function typeOf(name: string): string {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`No media type is known for ${name}.`)
  return type
}
