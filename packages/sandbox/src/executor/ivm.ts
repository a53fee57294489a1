/**
 * isolated-vm in the executor: only the addon, which `seal.js` loaded while files could still be opened. The entry of the
 * package would search for it in the file system.
 */

import type * as IsolatedVm from 'isolated-vm'

export type Ivm = typeof IsolatedVm

export function loadedIvm(): Ivm {
  const { isolatedVm } = globalThis as { isolatedVm?: Ivm }
  if (isolatedVm === undefined) throw new Error('the addon is not isolated-vm')
  return isolatedVm
}
