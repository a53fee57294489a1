/**
 * Makes this process load its modules in less than half of the time. It must run before those modules load: `main.ts` imports it
 * first and the service later, and tests preload it.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache, type ResolveHookSync, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeFolder } from './base/make-folder.ts'

/**
 * What the service imports from packages of many small modules: some 950, of 2,400 in all. `start/bundled-packages.ts`
 * makes a few files of them, which later starts load instead. They need nothing but other packages of their own.
 */
export const bundledImports = [
  'drizzle-orm',
  'drizzle-orm/migrator',
  'drizzle-orm/node-postgres',
  'drizzle-orm/pg-core',
  'trading-signals',
  'typebox',
  'typebox/value',
]

/** The place of the bundles; each name stands for the versions of packages that are in the lock file. */
export const bundlesFolder = join(import.meta.dirname, '../dist')
const lockFile = join(import.meta.dirname, '../../../package-lock.json')
const bundler = join(import.meta.dirname, 'start/bundled-packages.ts')

/** The bundles that the npm package of the server brings: it names the version of each package, and has no lock file. */
const packedBundles = join(bundlesFolder, 'packed')

/** The folder with bundles of the installed packages; `null` if an installation by other means has no lock file. */
export function ownBundles(): string | null {
  if (!existsSync(lockFile)) return existsSync(packedBundles) ? packedBundles : null
  const hash = createHash('sha256').update(`${process.version}\n${bundledImports}\n`)
  for (const file of [lockFile, bundler]) hash.update(readFileSync(file))
  return join(bundlesFolder, hash.digest('hex').slice(0, 32))
}

/** The file of a bundle that stands for an import. */
export function bundleName(specifier: string): string {
  return `${specifier.replace('/', '.')}.js`
}

const bundles = ownBundles()
const found = bundles !== null && existsSync(bundles) ? bundles : null
const bundleUrls = new Map(
  found === null
    ? []
    : bundledImports.map((specifier) => [specifier, pathToFileURL(join(found, bundleName(specifier))).href]),
)

/**
 * For each module that Node resolves in a package, it parses the package.json: that of this one has 180 KB, and a
 * hundred modules of it load where there are no bundles.
 */
const insideSlowPackage = '/node_modules/drizzle-orm/'
/** What our sources import by name is the same for all of them. */
const ownSources = new URL('.', import.meta.url).href
const resolved = new Map<string, ReturnType<ResolveHookSync>>()

/**
 * The format of a file that a module names by its path, where the path alone says which file it is: then Node need not
 * look at the disk, as it does three times for each. `null` where Node has to look.
 */
function formatOf(specifier: string, parentURL: string): string | null {
  if (parentURL.includes(insideSlowPackage)) return 'module'
  return specifier.endsWith('.ts') && !parentURL.includes('/node_modules/') ? 'module-typescript' : null
}

registerHooks({
  resolve(specifier, context, resolveNext) {
    const { parentURL = '', conditions } = context
    if (!conditions.includes('import')) return resolveNext(specifier, context)
    const bundle = bundleUrls.get(specifier)
    if (bundle !== undefined) return { url: bundle, format: 'module', shortCircuit: true }
    if (specifier.startsWith('.')) {
      const format = formatOf(specifier, parentURL)
      if (format === null) return resolveNext(specifier, context)
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    }
    if (!parentURL.startsWith(ownSources)) return resolveNext(specifier, context)
    const known = resolved.get(specifier) ?? { ...resolveNext(specifier, context), shortCircuit: true }
    resolved.set(specifier, known)
    return known
  },
})

/** Keeps compiled code in the data folder for the next start. If it cannot be kept, starts take longer. */
export async function keepCompiled(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'compile-cache')
  try {
    await makeFolder(folder)
  } catch {
    // Node would never return from creating it. The database says soon what is wrong with the data folder.
    return
  }
  enableCompileCache(folder)
}
