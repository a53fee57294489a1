/** What the image does without. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

type Entry = {
  link?: boolean
  dev?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/** The part of `package-lock.json` that says which packages need which. The keys are folders, from the root. */
export type Lock = { packages: Record<string, Entry> }

const modules = 'node_modules/'

/** Programs of the image; the dashboard is only files that the service sends, once it is built. */
const programs = ['', 'packages/server', 'packages/sandbox', 'packages/client', 'packages/cli']
/** Builds what the image has already (`prepare.ts`). */
const bundler = 'esbuild'

/** The folders of all packages that no program of the image loads. */
export function packagesToRemove({ packages }: Lock): string[] {
  const needed = new Set<string>()
  const visit = (folder: string) => {
    if (needed.has(folder)) return
    needed.add(folder)
    const { dependencies, optionalDependencies, peerDependencies } = packages[folder]!
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = name === bundler ? undefined : resolved(packages, folder, name)
      if (found !== undefined && packages[found]!.link !== true) visit(found)
    }
  }
  for (const program of programs) visit(program)
  // A link leads to a folder of our own.
  const installed = Object.entries(packages).filter(([folder, { link }]) => folder.includes(modules) && !link)
  return installed.map(([folder]) => folder).filter((folder) => isUnneeded(folder, needed))
}

/** A package can contain another one that is needed. */
function isUnneeded(folder: string, needed: ReadonlySet<string>): boolean {
  return ![...needed].some((other) => other === folder || other.startsWith(`${folder}/`))
}

/** Where Node finds a package, seen from a folder; `undefined` if it is optional, and not for this platform. */
function resolved(packages: Lock['packages'], folder: string, name: string): string | undefined {
  for (let from = folder; ; ) {
    const candidate = `${from === '' ? '' : `${from}/`}${modules}${name}`
    if (candidate in packages) return candidate
    if (from === '') return undefined
    const within = from.lastIndexOf(`/${modules}`)
    from = within !== -1 ? from.slice(0, within) : ''
  }
}

/**
 * Whether Node never loads this file of a package: types, sources, maps for debuggers, other languages' libraries, and
 * documents, except those that its licence asks to pass on.
 */
export function isNeverLoaded(path: string): boolean {
  const name = basename(path)
  if (/^(licen[cs]e|notice|copying|copyright)/i.test(name)) return false
  return /\.([cm]?tsx?|map|a|md|markdown|flow)$/i.test(name)
}

const addons = 'node_modules/isolated-vm/prebuilds'

/** Parts of packages that never load here: the addon of other platforms, and the other forms of the exchanges' code. */
export async function filesToRemove(root: string): Promise<string[]> {
  const platforms = await readdir(join(root, addons))
  const others = platforms.filter((name) => name !== `${process.platform}-${process.arch}`)
  const archives = (await readdir(join(root, addons, '..'))).filter((name) => name.endsWith('.tgz'))
  return [
    ...others.map((name) => `${addons}/${name}`),
    ...archives.map((name) => `node_modules/isolated-vm/${name}`),
    'node_modules/ccxt/dist',
    // What npm has unpacked Node from; `bin/node` beside it is the whole program.
    'node_modules/node/node_modules',
  ]
}
