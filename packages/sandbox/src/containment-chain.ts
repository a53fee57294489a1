/**
 * The programs that stand in front of an executor, each of which replaces itself by the next. All come with util-linux
 * and coreutils; which of the layers they make work on this machine is for `containment.ts` to find out.
 */

import { existsSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { newRootScript } from './containment-root.ts'

/**
 * - `namespaces`: a network, IPC and host-name namespace of its own; there is no interface but a dead loopback.
 * - `processes`: a process namespace of its own; there is no other process to see, to signal or to trace.
 * - `root`: a mount namespace and a root directory of its own, read-only, with nothing but the files that Node needs.
 * - `descriptors`: nothing that the service has open, or was started with, is open but what the executor is given.
 * - `limits`: writes no files, dumps no core, opens few descriptors; without JIT its memory is capped by the kernel.
 * - `user`: runs as a user of its own, without groups; only a privileged parent can arrange that.
 * - `privileges`: has no capabilities, can never gain privileges, and dies with its parent.
 * - `syscalls`: can make no system calls but the few that it needs once it is up.
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
  /** Whether the service runs as root, which needs no user namespace to make the others. */
  isRoot: boolean
  /** The user, and group, of the layer `user`. */
  user: number
  /** The memory that the kernel allows the executor, if it is to count it. */
  dataLimitBytes: number | null
  /** What Node needs of the file system, and setpriv, which drops the last privileges inside. */
  files: readonly string[]
}

const toolFolders = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** The path of a program; one that is not installed stays a bare name, which cannot be started. */
export function tool(name: string): string {
  return toolFolders.map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? name
}

/** The command that goes before Node's. */
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
  // unshare stays as the parent of what it starts in a process namespace: each dies with its parent.
  if (layers.has('processes')) chain.push(tool('setpriv'), '--pdeathsig=KILL', '--')
  if (unshared.length > 0) chain.push(tool('unshare'), ...unshared, '--')
  const script = [
    ...(layers.has('descriptors') ? [closeDescriptors] : []),
    ...(layers.has('root') ? [newRootScript(files, rootTools())] : []),
    // Last, since the script of the root writes a file.
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
  // A change of user forgets the signal of the parent's death, so setpriv asks for it last. Without it the executor
  // would outlive the unshare that is killed in its place.
  if (privileges.length > 0) chain.push(setpriv(), ...privileges, '--pdeathsig=KILL', '--')
  return chain
}

export function setpriv(): string {
  return tool('setpriv')
}

/**
 * bash where there is one: the sh of Debian cannot close a descriptor of two digits. Its standard input is a socket,
 * for which it takes itself to be a remote shell and would read the user's `.bashrc`.
 */
function shell(): string[] {
  const bash = tool('bash')
  return bash === 'bash' ? [tool('sh')] : [bash, '--norc']
}

function limitsOf(dataLimitBytes: number | null): string[] {
  const data = dataLimitBytes === null ? [] : [`ulimit -d ${Math.ceil(dataLimitBytes / 1024)}`]
  return ['ulimit -c 0', 'ulimit -f 0', 'ulimit -n 64', ...data]
}

/** All but the standard ones and the pipe. */
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
    // A program that is several goes by its first argument if it is not called by one of its names.
    chroot: basename(chroot) === 'busybox' ? [chroot, 'chroot'] : [chroot],
  }
}
