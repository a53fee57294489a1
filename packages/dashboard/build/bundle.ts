import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { memberTable } from './members.ts'
import { typeFiles } from './type-files.ts'

/** The files of the dashboard by their paths, not compressed. */
export type Bundle = Map<string, { type: string; contents: Uint8Array }>

const root = join(import.meta.dirname, '..')
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

export type BundleOptions = {
  /** For developers: readable code, source maps, and the gallery of all components. */
  development?: boolean
}

/** @throws {Error} with the messages of esbuild if the sources cannot be built */
export async function bundle({ development = false }: BundleOptions = {}): Promise<Bundle> {
  const [worker, members] = await Promise.all([typesWorker(), memberTable()])
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [{ in: 'src/main.tsx', out: 'main' }],
    minify: !development,
    sourcemap: development ? 'inline' : false,
    define: {
      'process.env.NODE_ENV': development ? '"development"' : '"production"',
      IN_DEVELOPMENT: String(development),
      RUNTIME_MEMBERS: JSON.stringify(members),
      TYPES_WORKER: JSON.stringify(worker.path),
      VERSION: JSON.stringify(await version()),
    },
  })
  const files: Bundle = new Map([[worker.path, worker]])
  for (const { path, contents } of outputFiles) {
    const name = path.slice(options.outdir.length)
    files.set(name, { type: typeOf(name), contents })
  }
  const icon = await addAsset(files, 'icon.svg', {})
  const manifest = await addAsset(files, 'manifest.webmanifest', { icon })
  const page = await document(metafile, { icon, manifest })
  files.set('/', { type: 'text/html; charset=utf-8', contents: Buffer.from(page) })
  return files
}

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

/** The document of every page, with the names of the files that it begins with. */
async function document({ outputs }: Metafile, assets: Record<string, string>): Promise<string> {
  const made = Object.entries(outputs)
  const [script, entry] = made.find(([, output]) => output.entryPoint === 'src/main.tsx')!
  const path = (name: string) => name.replace(/^dist/, '')
  // The browser fetches these beside the entry, not after it has read it.
  const chunks = entry.imports
    .filter(({ kind }) => kind === 'import-statement')
    .map((file) => path(file.path))
  return fill(await readFile(join(root, 'src', 'index.html'), 'utf8'), {
    ...assets,
    script: path(script),
    style: path(entry.cssBundle!),
    preloads: chunks.map((chunk) => `<link rel="modulepreload" href="${chunk}">`).join('\n    '),
  })
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
