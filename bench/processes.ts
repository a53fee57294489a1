import { readdirSync, readFileSync } from 'node:fs'

/** Kernel clock ticks per second, the unit of `/proc/<pid>/stat`: 100 on every Linux that Node supports. */
const ticksPerSecond = 100

/**
 * The CPU seconds of these processes and all their descendants so far, user and system together, including ended
 * processes. `undefined` without `/proc`.
 */
export function cpuSeconds(pids: readonly number[]): number | undefined {
  const ticks = familyOf(pids)?.reduce((sum, entry) => sum + entry.ticks, 0)
  return ticks === undefined ? undefined : ticks / ticksPerSecond
}

/** The CPU seconds of all processes of this machine so far. `undefined` without `/proc`. */
export function machineCpuSeconds(): number | undefined {
  let text: string
  try {
    text = readFileSync('/proc/stat', 'utf8')
  } catch {
    return undefined
  }
  const [user, nice, system, , , irq, softirq] = text
    .slice(4, text.indexOf('\n'))
    .trim()
    .split(/ +/)
    .map(Number)
  return (user! + nice! + system! + irq! + softirq!) / ticksPerSecond
}

/** The memory of these processes and all their descendants. Shared memory counts for each of them. */
export function residentBytes(pids: readonly number[]): number | undefined {
  return familyOf(pids)?.reduce((sum, { pid }) => sum + readResidentBytes(pid), 0)
}

/** The existing ones of these processes, and their descendants; `undefined` without `/proc`. */
function familyOf(pids: readonly number[]): Process[] | undefined {
  const processes = readProcesses()
  if (processes === undefined) return undefined
  const counted = new Set(pids)
  // Parents usually, but not always, come before their children: repeat until nothing is added.
  for (let before = -1; before !== counted.size; ) {
    before = counted.size
    for (const { pid, parent } of processes) if (counted.has(parent)) counted.add(pid)
  }
  return processes.filter(({ pid }) => counted.has(pid))
}

type Process = { pid: number; parent: number; ticks: number }

function readProcesses(): Process[] | undefined {
  let names: string[]
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return undefined
  }
  const processes: Process[] = []
  for (const name of names) {
    const stat = readStat(name)
    if (stat !== undefined) processes.push(stat)
  }
  return processes
}

function readStat(name: string): Process | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${name}/stat`, 'utf8')
  } catch {
    return undefined // It ended while we looked.
  }
  // The second field is the program's name in parentheses, and may contain spaces; proc_pid_stat(5) counts from 1.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  // utime, stime, and the same of children that have been waited for.
  return { pid: Number(name), parent: field(4), ticks: field(14) + field(15) + field(16) + field(17) }
}

function readResidentBytes(pid: number): number {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return 0 // It ended while we looked.
  }
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024
}
