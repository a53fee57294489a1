/**
 * How executors, and other processes of strategies' code, give way to everything else on the machine: with the lowest
 * priority, on half of the processors. Priority alone is not enough: a thread that wakes up still waits some milliseconds
 * for the end of another thread's turn, many times in a run. The other half of the processors never has such turns.
 */

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'
import { tool } from './containment-chain.ts'
import { chainFrom } from './containment-evidence.ts'

type Command = { program: string; args: string[] }

const lowest = constants.priority.PRIORITY_LOW
const probeMs = 5_000

/** The same command with the lowest priority, on half of the processors. If the machine cannot do this, it stays as it is. */
export async function withLowestPriority<Given extends Command>(command: Given): Promise<Given> {
  const nice = [tool('nice'), '-n', String(lowest)]
  return firstThatWorks([[...nice, ...halfOfProcessors()], nice], command)
}

/** The same command on half of the processors, with the priority of this process: {@link lowerPriority} lowers it later. */
export async function onHalfOfProcessors<Given extends Command>(command: Given): Promise<Given> {
  return firstThatWorks([halfOfProcessors()], command)
}

/**
 * Gives the lowest priority to all threads of a process that this one has started, and of the chain of processes that it
 * has started. Returns whether all have it now: some machines refuse it for the process of another user, or do not list
 * threads.
 */
export function lowerPriority(pid: number): boolean {
  try {
    return chainFrom(pid).every(lowerThreads)
  } catch {
    return false
  }
}

/** A new thread has the priority of the one that starts it, so those that start meanwhile are found by looking again. */
function lowerThreads(pid: number): boolean {
  for (let round = 0; round < 10; round += 1) {
    const threads = readdirSync(`/proc/${pid}/task`).map(Number)
    const higher = threads.filter((thread) => getPriority(thread) !== lowest)
    if (higher.length === 0) return true
    for (const thread of higher) setPriority(thread, lowest)
  }
  return false
}

function halfOfProcessors(): string[] {
  const all = processors()
  return [tool('taskset'), '--cpu-list', all.slice(all.length >> 1).join(',')]
}

async function firstThatWorks<Given extends Command>(prefixes: string[][], command: Given): Promise<Given> {
  for (const prefix of prefixes) {
    if (!(await works([...prefix, tool('true')]))) continue
    const [program, ...args] = [...prefix, command.program, ...command.args]
    return { ...command, program: program!, args }
  }
  return command
}

/** The numbers of the processors that this process may use; an empty list if they are unknown. */
function processors(): number[] {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const ranges = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1]?.split(',') ?? []
  return ranges.flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index)
  })
}

/** Tries each command once for each process: the machine does not change. */
function works(command: string[]): Promise<boolean> {
  const key = command.join(' ')
  const answer = answers.get(key) ?? tried(command)
  answers.set(key, answer)
  return answer
}

const answers = new Map<string, Promise<boolean>>()

function tried([program, ...args]: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program!, args, { cwd: '/', env: {}, timeout: probeMs, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null),
    )
  })
}
