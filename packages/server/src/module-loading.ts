/**
 * Has this process load its modules in two thirds of the time. It has to be there before the modules are that it is for:
 * `main.ts` imports this first and the service later; tests preload it.
 */
import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { makeFolder } from './base/make-folder.ts'

/**
 * Node parses the package.json of a package for each module that is imported from it, and for each module in it. That of
 * this one has 180 KB, and it has a hundred modules.
 */
const dear = 'drizzle-orm'
const insideDear = `/node_modules/${dear}/`
const resolved = new Map<string, { url: string; format: string }>()

registerHooks({
  resolve(specifier, context, resolveNext) {
    const { parentURL = '', conditions } = context
    if (!conditions.includes('import')) return resolveNext(specifier, context)
    if (specifier.startsWith('.') && parentURL.includes(insideDear)) {
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    }
    if (specifier !== dear && !specifier.startsWith(`${dear}/`)) return resolveNext(specifier, context)
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
