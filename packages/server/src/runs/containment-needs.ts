/** What strategies need of the machine to be contained, in words for its operator. */
import { readFileSync } from 'node:fs'
import type { ContainmentLayer } from '@tickwright/sandbox'

const namespaces = 'the right to create namespaces'
/** What each layer needs, as in `docs/operations.md#containment`. */
export const layerNeeds: Record<ContainmentLayer, string> = {
  namespaces,
  processes: namespaces,
  root: `${namespaces}, and the right to mount`,
  descriptors: 'a shell: install bash',
  limits: 'a shell: install bash',
  privileges: 'setpriv: install util-linux',
  user: 'a service that runs as root, with more than one user id',
  syscalls: 'a kernel with seccomp, and a Node with node:ffi',
}

type ReadFile = (path: string) => string

const readOrEmpty: ReadFile = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Absent, or, where no security module answers, there but not readable.
    return ''
  }
}

/** What to do about missing layers on this machine, in one sentence, as far as its kernel tells. */
export function containmentRemedy(missing: readonly ContainmentLayer[], read = readOrEmpty): string {
  const needs = [...new Set(missing.map((layer) => layerNeeds[layer]))].join('; ')
  return `${hint(missing, read) ?? `The layers need ${needs}`} (docs/operations.md#containment)`
}

/** Why namespaces are refused here, if the kernel says so; the most frequent reason first. */
function hint(missing: readonly ContainmentLayer[], read: ReadFile): string | undefined {
  if (!missing.some((layer) => layerNeeds[layer].startsWith(namespaces))) return undefined
  if (/^0\s*$/.test(read('/proc/sys/user/max_user_namespaces'))) {
    return 'This kernel allows no user namespaces: sysctl user.max_user_namespaces=15000'
  }
  if (/^0\s*$/.test(read('/proc/sys/kernel/unprivileged_userns_clone'))) {
    return 'This kernel allows only root to create user namespaces: sysctl kernel.unprivileged_userns_clone=1'
  }
  // A filter of system calls on the service itself comes from the runtime of its container, or from its unit.
  if (missing.includes('namespaces') && /^Seccomp:\s*2$/m.test(read('/proc/self/status'))) {
    return 'A filter of system calls is in the way: start the container with --security-opt seccomp=deploy/seccomp.json'
  }
  const profile = /^(?!unconfined\b)\S+/.exec(read('/proc/self/attr/current'))?.[0]
  if (profile !== undefined) {
    return `The AppArmor profile ${profile} is in the way: start the container with --security-opt apparmor=tickwright, after deploy/apparmor/tickwright is installed`
  }
  if (/^1\s*$/.test(read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'))) {
    return 'AppArmor allows no user namespaces: install deploy/apparmor/tickwright'
  }
  return undefined
}
