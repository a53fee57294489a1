/**
 * The chain of programs that starts an executor. Each program replaces itself with the next one. All are part of
 * util-linux or coreutils. `containment.ts` finds out which of their layers work on this machine.
 */

import { existsSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { newRootScript } from './containment-root.ts'

/**
 * - `namespaces`: separate network, IPC and host-name namespaces. The only interface is a loopback that is down.
 * - `processes`: a separate process namespace. The executor can see, signal and trace no other process.
 * - `root`: a separate mount namespace and root directory, read-only, with only the files that Node needs.
 * - `descriptors`: the executor inherits no open files of the service, except those that it needs.
 * - `limits`: it writes no files and no core dumps, and opens few descriptors. Without JIT, the kernel limits its memory.
 * - `user`: it runs as a separate user without groups. This needs a privileged parent.
 * - `privileges`: it has no capabilities, can never gain privileges, and dies with its parent.
 * - `syscalls`: once it runs, it can make only the few system calls that it needs.
 */
export type ContainmentLayer =
  | 'namespaces'
  | 'processes'
  | 'root'
  | 'descriptors'
  | 'limits'
  | 'user'
  | 'privileges'
  | 'syscalls'

export type ChainOptions = {
  /** Whether the service runs as root. Then the other namespaces need no user namespace. */
  isRoot: boolean
  /** The user id and group id of the layer `user`. */
  user: number
  /** The memory limit that the kernel enforces; `null` for none. */
  dataLimitBytes: number | null
  /** All files that Node needs, and setpriv, which drops the last privileges inside the new root. */
  files: readonly string[]
}

const toolFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The path of a program. One that is not installed stays a bare name, which fails to start. */
export function tool(name: string): string {
  return toolFolders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? name
}

/** The start of the command, before Node. */
export function chainOf(layers: ReadonlySet<ContainmentLayer>, options: ChainOptions): string[] {
  const { isRoot, user, dataLimitBytes, files } = options
  const unshared = [
    ...(layers.has('namespaces') ? ['--net', '--ipc', '--uts'] : []),
    ...(layers.has('processes') ? ['--pid', '--fork', '--kill-child'] : []),
    ...(layers.has('root') ? ['--mount'] : []),
  ]
  const needsUserNamespace = !isRoot && unshared.length > 0
  const chain: string[] = []
  if (needsUserNamespace) chain.push(tool('unshare'), '--user', '--map-root-user', '--')
  // unshare stays as the parent of the process that it starts in a process namespace, and each dies with its parent.
  if (layers.has('processes')) chain.push(tool('setpriv'), '--pdeathsig=KILL', '--')
  if (unshared.length > 0) chain.push(tool('unshare'), ...unshared, '--')
  const script = [
    ...(layers.has('descriptors') ? [closeDescriptors] : []),
    ...(layers.has('root') ? [newRootScript(files, rootTools())] : []),
    // Last, because the script of the root writes a file.
    ...(layers.has('limits') ? limitsOf(dataLimitBytes) : []),
  ]
  if (script.length > 0) chain.push(...shell(), '-c', `set -e\n${script.join('\n')}\nexec "$@"`, 'executor')
  const privileges = [
    ...(layers.has('user') ? ['--clear-groups', `--reuid=${user}`, `--regid=${user}`] : []),
    ...(layers.has('privileges') && (isRoot || needsUserNamespace)
      ? ['--bounding-set=-all', '--inh-caps=-all']
      : []),
    ...(layers.has('privileges') ? ['--no-new-privs'] : []),
  ]
  // A change of user clears the signal for the death of the parent, so setpriv sets it last. Without it, the executor
  // would survive when the parent kills unshare.
  if (privileges.length > 0) chain.push(setpriv(), ...privileges, '--pdeathsig=KILL', '--')
  return chain
}

export function setpriv(): string {
  return tool('setpriv')
}

/**
 * bash, if installed: the sh of Debian cannot close a descriptor of two digits. Since the standard input is a socket, bash
 * takes itself for a remote shell and would read the user's `.bashrc` without `--norc`.
 */
function shell(): string[] {
  const bash = tool('bash')
  return bash === 'bash' ? [tool('sh')] : [bash, '--norc']
}

function limitsOf(dataLimitBytes: number | null): string[] {
  const data = dataLimitBytes === null ? [] : [`ulimit -d ${Math.ceil(dataLimitBytes / 1024)}`]
  return ['ulimit -c 0', 'ulimit -f 0', 'ulimit -n 64', ...data]
}

/** Closes all descriptors except the standard ones and the pipe. */
const closeDescriptors = `for entry in /proc/self/fd/*; do
  descriptor=\${entry##*/}
  [ "$descriptor" -le 3 ] || eval "exec $descriptor>&-"
done`

function rootTools(): Parameters<typeof newRootScript>[1] {
  const named = tool('chroot')
  const chroot = existsSync(named) ? realpathSync(named) : named
  return {
    mount: tool('mount'),
    umount: tool('umount'),
    mkdir: tool('mkdir'),
    pivotRoot: tool('pivot_root'),
    // busybox contains many programs. Called by its own name, it runs the one that its first argument names.
    chroot: basename(chroot) === 'busybox' ? [chroot, 'chroot'] : [chroot],
  }
}
