/**
 * Makes this process load its modules in two thirds of the time. It must run before those modules load: `main.ts`
 * imports it first and the service later, and tests preload it.
 */
import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { makeFolder } from './base/make-folder.ts'

/**
 * Node parses the package.json of a package for each module that it resolves in it. This package has a hundred modules,
 * and its package.json has 180 KB.
 */
const slowPackage = 'drizzle-orm'
const insidePackage = `/node_modules/${slowPackage}/`
const resolved = new Map<string, { url: string; format: string }>()

registerHooks({
  resolve(specifier, context, resolveNext) {
    const { parentURL = '', conditions } = context
    if (!conditions.includes('import')) return resolveNext(specifier, context)
    if (specifier.startsWith('.') && parentURL.includes(insidePackage)) {
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    }
    if (specifier !== slowPackage && !specifier.startsWith(`${slowPackage}/`))
      return resolveNext(specifier, context)
    const known = resolved.get(specifier) ?? { ...resolveNext(specifier, context), format: 'module' }
    resolved.set(specifier, known)
    return { ...known, shortCircuit: true }
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
