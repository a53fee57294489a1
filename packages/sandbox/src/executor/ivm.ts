/**
 * isolated-vm as the executor loads it: the bare addon, by the path that the parent gives. The package's own entry
 * would search the file system for it, which the executor may not read.
 */

import type * as IsolatedVm from 'isolated-vm'

export type Ivm = typeof IsolatedVm

export function loadIvm(addonPath: string): Ivm {
  const module = { exports: {} as { ivm?: Ivm } }
  process.dlopen(module, addonPath)
  if (module.exports.ivm === undefined) throw new Error('the addon is not isolated-vm')
  return module.exports.ivm
}
