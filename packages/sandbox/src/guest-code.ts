/**
 * The code that runs in executors: the program of the process and the scripts of an isolate.
 *
 * An executor cannot load TypeScript: Node's type stripping needs WebAssembly, which does not exist without JIT, and an
 * executor should read as few files as possible. So it gets all code as text.
 */

import type { GuestCode } from './bundle-guest-code.ts'
import { keptOrMade } from './kept-code.ts'

const loaded = new Map<string | undefined, Promise<GuestCode>>()

/**
 * Loads once for each process, since the code depends only on the installed files.
 * @param clientPath the module of `$.Http.createApiClient`
 */
export function loadGuestCode(clientPath?: string): Promise<GuestCode> {
  let code = loaded.get(clientPath)
  if (code === undefined) {
    code = keptOrMade(clientPath, async () => {
      // Loaded only now: most starts find what an earlier one has bundled.
      const { bundleGuestCode } = await import('./bundle-guest-code.ts')
      return bundleGuestCode(clientPath)
    })
    loaded.set(clientPath, code)
  }
  return code
}
