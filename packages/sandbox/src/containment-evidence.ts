/** Checks with the kernel's data in /proc whether a process really has the layers that its command asks for. */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { ContainmentLayer } from './containment-chain.ts'

/** A check for each layer, from outside the process. */
type Proofs = Record<ContainmentLayer, (pid: number, asked: Asked) => boolean>

export type Asked = {
  user: number
  /** All files of the new root. */
  files: readonly string[]
  /** Whether the process started with capabilities. */
  hadCapabilities: boolean
}

const proofs: Proofs = {
  namespaces: (pid) => ['net', 'ipc', 'uts'].every((name) => isOwnNamespace(pid, name)),
  processes: (pid) => isOwnNamespace(pid, 'pid') && statusOf(pid, 'NSpid').at(-1) === '1',
  root: (pid, { files }) => isOwnNamespace(pid, 'mnt') && hasOnly(pid, files),
  descriptors: (pid) =>
    readdirSync(`/proc/${pid}/fd`).every((descriptor) => {
      if (Number(descriptor) <= 3) return true
      // Node itself opens these: for its event loop, and as spare descriptors.
      return /^(anon_inode:.*|pipe:.*|\/dev\/null|\/)$/.test(readlinkSync(`/proc/${pid}/fd/${descriptor}`))
    }),
  limits: (pid) => {
    const text = readFileSync(`/proc/${pid}/limits`, 'latin1')
    return [/^Max core file size +0 +0 /m, /^Max file size +0 +0 /m, /^Max open files +64 +64 /m].every(
      (limit) => limit.test(text),
    )
  },
  user: (pid, { user }) =>
    [...statusOf(pid, 'Uid'), ...statusOf(pid, 'Gid')].every((id) => id === String(user)) &&
    statusOf(pid, 'Groups').length === 0,
  privileges: (pid, { hadCapabilities }) =>
    statusOf(pid, 'NoNewPrivs')[0] === '1' &&
    ['CapInh', 'CapPrm', 'CapEff', 'CapAmb', ...(hadCapabilities ? ['CapBnd'] : [])].every((name) =>
      /^0+$/.test(statusOf(pid, name)[0] ?? ''),
    ),
  syscalls: (pid) => statusOf(pid, 'Seccomp')[0] === '2',
}

/** The layers that the process cannot be shown to have. */
export function unproven(layers: Iterable<ContainmentLayer>, pid: number, asked: Asked): ContainmentLayer[] {
  return [...layers].filter((layer) => {
    try {
      return !proofs[layer](pid, asked)
    } catch {
      // Data that cannot be read proves nothing.
      return true
    }
  })
}

/** The processes of a chain in which each program has at most one child; only the first if its children are unknown. */
export function chainFrom(pid: number): number[] {
  const chain: number[] = []
  for (let next: number | null = pid; next !== null; next = childOf(next)) chain.push(next)
  return chain
}

/** The last process of such a chain. */
export function innermost(pid: number): number {
  return chainFrom(pid).at(-1)!
}

function childOf(pid: number): number | null {
  try {
    const child = /^\d+/.exec(readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1'))?.[0]
    return child === undefined ? null : Number(child)
  } catch {
    // Some kernels have no such list. Then the layer that needs it cannot be proven, and is not used.
    return null
  }
}

function isOwnNamespace(pid: number, name: string): boolean {
  return readlinkSync(`/proc/${pid}/ns/${name}`) !== readlinkSync(`/proc/self/ns/${name}`)
}

/** Whether its file system is a read-only root with these read-only files, and nothing else. */
function hasOnly(pid: number, files: readonly string[]): boolean {
  const mounts = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const points = mounts.map(([, , , , point]) =>
    point!.replaceAll(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8))),
  )
  const isReadOnly = mounts.every((fields) =>
    [fields[5]!, fields.at(-1)!].some((flags) => flags.split(',').includes('ro')),
  )
  return isReadOnly && points.toSorted().join('\n') === ['/', ...files].toSorted().join('\n')
}

/** The fields of a line of the process's status. */
function statusOf(pid: number, name: string): string[] {
  const text = readFileSync(`/proc/${pid}/status`, 'latin1')
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'm').exec(text)?.[1]?.split(/\s+/).filter(Boolean) ?? []
}
