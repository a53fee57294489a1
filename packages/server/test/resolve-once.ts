/**
 * Preloaded by tests and the services that they start: a third of the time that a process takes to load its modules goes
 * into drizzle-orm. Node parses the package.json of a package, which in this one has 180 KB, for each module that is
 * imported from it and for each of the hundred modules in it.
 */
import { registerHooks } from 'node:module'

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
