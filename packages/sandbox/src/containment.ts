/**
 * How an executor process is started: which program, which flags, what it may see.
 *
 * Level `permission` is what Node alone gives: no files but isolated-vm's addon, no network, no child processes, no
 * workers, no environment. A chain of system tools (namespaces, an unprivileged user, kernel limits) goes in front
 * of the program in {@link executorCommand}; what of it a machine allows is to be probed here.
 */

import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** What holds an executor beside V8: weakest first. */
export type ContainmentLevel = 'permission'

export type ExecutorCommand = { program: string; args: string[]; level: ContainmentLevel }

/** The command that starts an executor; its program text comes on standard input. */
export function executorCommand(options: { jit: boolean }): ExecutorCommand {
  const addon = addonPath()
  const args = [
    ...(options.jit ? [] : ['--jitless']),
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${addon}`,
    '--disable-warning=SecurityWarning',
    '--input-type=commonjs',
    '-',
    addon,
  ]
  return { program: process.execPath, args, level: 'permission' }
}

/** The file of isolated-vm's addon for this platform, found by the loader that the package itself uses. */
function addonPath(): string {
  const own = createRequire(import.meta.url)
  const entry = own.resolve('isolated-vm')
  const loader = createRequire(entry)('node-gyp-build') as { path(directory: string): string }
  return loader.path(dirname(entry))
}
