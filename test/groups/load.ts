/** Loads several test files into one process, each in a suite of its own. */
import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { suite } from 'node:test'
import { pathToFileURL } from 'node:url'
import { root } from '../repository.ts'

/** The number of the file that a module belongs to, at the end of the module's address. */
const numbered = /\?file=\d+$/
/** Helpers of tests: what they keep, such as a service, belongs to one file. All files share the code of the product. */
const helper = /\/test\/|\/test-support\.ts$|\.test\.ts$/

/**
 * Registers the tests of these files. Each file gets its own copy of the helpers of tests, as if it had a process of its
 * own, so its services and databases end after its last test.
 * @param files absolute paths
 */
export function loadFiles(files: readonly string[]): void {
  registerHooks({
    resolve(specifier, context, resolveNext) {
      const resolved = resolveNext(specifier, context)
      const number = numbered.exec(context.parentURL ?? '')?.[0]
      const isOwn = number !== undefined && specifier.startsWith('.') && helper.test(resolved.url)
      return isOwn ? { ...resolved, url: resolved.url + number } : resolved
    },
  })
  for (const [index, file] of files.entries())
    suite(relative(root, file), async () => {
      await import(`${pathToFileURL(file).href}?file=${index}`)
    })
}
