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
  return familyOf(pids)?.reduce(
    (sum, { pid }) => sum + (readKilobytes(pid, 'status', 'VmRSS') ?? 0) * 1024,
    0,
  )
}

/**
 * The memory of these processes and all their descendants. A page that several processes share counts once for all of
 * them together (PSS), because the processes of a PostgreSQL server share most of theirs. `undefined` where Linux does
 * not tell.
 */
export function memoryBytes(pids: readonly number[]): number | undefined {
  return familyOf(pids)?.reduce<number | undefined>((sum, { pid }) => {
    const kilobytes = readKilobytes(pid, 'smaps_rollup', 'Pss')
    return sum === undefined || kilobytes === undefined ? undefined : sum + kilobytes * 1024
  }, 0)
}

/** The parent of a process, if both run this program on this machine. */
export function parentInProgram(pid: number, program: string): number | undefined {
  const stat = readStat(String(pid))
  if (stat?.program !== program) return undefined
  return readStat(String(stat.parent))?.program === program ? stat.parent : undefined
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

type Process = { pid: number; program: string; parent: number; ticks: number }

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
  const nameEnd = text.lastIndexOf(')')
  const program = text.slice(text.indexOf('(') + 1, nameEnd)
  const fields = text.slice(nameEnd + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  // utime, stime, and the same of children that have been waited for.
  const ticks = field(14) + field(15) + field(16) + field(17)
  return { pid: Number(name), program, parent: field(4), ticks }
}

/** A field of a file in `/proc/<pid>`: 0 if the process has ended, `undefined` if this user may not read it. */
function readKilobytes(pid: number, file: string, field: string): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/${file}`, 'utf8')
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0)
  } catch (error) {
    return hasEnded(error) ? 0 : undefined
  }
}

function hasEnded(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
}
