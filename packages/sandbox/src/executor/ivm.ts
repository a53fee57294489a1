/**
 * isolated-vm as the executor has it: the bare addon, which `seal.js` has loaded while files could still be opened. The
 * package's own entry would search the file system for it.
 */

import type * as IsolatedVm from 'isolated-vm'

export type Ivm = typeof IsolatedVm

export function loadedIvm(): Ivm {
  const { isolatedVm } = globalThis as { isolatedVm?: Ivm }
  if (isolatedVm === undefined) throw new Error('the addon is not isolated-vm')
  return isolatedVm
}
