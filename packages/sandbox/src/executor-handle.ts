/** The parent's side of one executor process: it starts, messages and kills the process, and leaves decisions to the slot. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { GuestCode } from './bundle-guest-code.ts'
import { PackedCandles } from './candles.ts'
import type { ExecutorCommand } from './containment.ts'
import { innermost } from './containment-evidence.ts'
import { FrameReader, FrameWriter } from './frames.ts'
import {
  candlesHeld,
  type ExecutorMessage,
  executorFrameLimit,
  type OpenMessage,
  type ParentMessage,
  type Reply,
  readExecutorMessage,
} from './messages.ts'
import { lowerPriority } from './priority.ts'
import { Recent } from './recent.ts'

/**
 * Why an executor is gone. `crashed`: it ended by itself. In all other cases the parent has killed it. `overdue`: a run
 * did not end at its deadline. `stuck`: its main thread computed without end. `memory`: the process exceeded its limit.
 * `breach`: it broke the protocol. `silent`: it sent no messages. `priority`: its priority could not be lowered. `closed`:
 * the sandbox was closed.
 */
export type DeathCause =
  | 'crashed'
  | 'overdue'
  | 'stuck'
  | 'memory'
  | 'breach'
  | 'silent'
  | 'priority'
  | 'closed'

export type Death = {
  cause: DeathCause
  signal: NodeJS.Signals | null
  /** The last output of V8, or the parent's reason. */
  detail: string
  /** Its resident memory, if it was killed for that. */
  residentBytes: number | null
}

/** Signals by which a process ends itself: aborts of V8, and faults. */
const ownSignals: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGBUS']

/** Whether an executor died of its own activity, or what looks like it, and not of a signal from outside. */
export function isOwnFault({ cause, signal }: Death): boolean {
  return cause === 'memory' || cause === 'breach' || cause === 'silent' || ownSignals.includes(signal)
}

export type ExecutorEvents = {
  message(message: ExecutorMessage): void
  /** Called once, after the process has ended. */
  death(death: Death): void
}

/** The main thread of an executor is stuck if it has computed for this long since its last message, in ms. */
const stuckMs = 150

/** Linux counts processor time in hundredths of a second. */
const msPerTick = 10

/** Whether the system reports the processor time of a thread of another process. */
export const canWatchThreads = existsSync('/proc/self/task')

/** At most this many characters of standard error are kept. */
const stderrLimit = 2_000

export class ExecutorHandle {
  readonly pid: number | undefined
  readonly #child: ChildProcess
  readonly #pipe: Socket
  readonly #writer: FrameWriter
  readonly #events: ExecutorEvents
  /** The numbers of the candles that the executor holds. */
  readonly #held = new Recent<PackedCandles, number>(candlesHeld)
  #candlesSent = 0
  #cause: DeathCause | null = null
  #detail = ''
  #residentBytes: number | null = null
  #executorPid: number | undefined
  #stderr = ''
  #dead = false
  /** When its last message arrived, on the clock of `performance.now()`. */
  heardAt = performance.now()
  /** The processor time of its main thread at some moment of the present silence; `null` if there is no silence. */
  #threadMsInSilence: number | null = null

  constructor(command: ExecutorCommand, code: GuestCode, open: OpenMessage, events: ExecutorEvents) {
    this.#events = events
    this.#child = spawn(command.program, command.args, {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    })
    this.pid = this.#child.pid
    this.#pipe = this.#child.stdio[3] as Socket
    this.#writer = new FrameWriter((frames) => this.#pipe.write(frames))
    this.#listen()
    this.#child.stdin!.end(code.executor)
    this.send(open)
  }

  send(message: ParentMessage): void {
    if (this.#cause === null) this.#writer.send(message)
  }

  /** Answers a host call. Candles that the executor holds are not sent again. */
  reply({ value, ...head }: Reply): void {
    if (!(value instanceof PackedCandles)) {
      this.send({ type: 'reply', ...head, value })
      return
    }
    const held = this.#held.get(value)
    if (held !== undefined) {
      this.send({ type: 'reply', ...head, candles: held })
      return
    }
    this.#candlesSent += 1
    this.#held.add(value, this.#candlesSent)
    this.send({ type: 'reply', ...head, candles: this.#candlesSent, base64: value.base64 })
  }

  /** Ends the process at once, with SIGKILL: a stuck thread would ignore other signals. */
  kill(cause: DeathCause, detail = ''): void {
    if (this.#cause !== null) return
    this.#cause = cause
    this.#detail = detail
    this.#child.kill('SIGKILL')
    // The first process of the chain may die just before its child asks the kernel to die with its parent. That child
    // then still starts an executor, which ends as soon as it finds its pipe closed.
    this.#pipe.destroy()
    this.#child.stdin!.destroy()
  }

  /** Gives it the lowest priority, or kills it: it may run no code before it has that. */
  yield(): boolean {
    if (this.pid !== undefined && lowerPriority(this.pid)) return true
    this.kill('priority')
    return false
  }

  get doomed(): boolean {
    return this.#cause !== null
  }

  /** Kills the process if it uses more memory than allowed. */
  limitMemory(limitBytes: number): void {
    const residentBytes = this.#measure()
    if (residentBytes === null || residentBytes <= limitBytes) return
    this.#residentBytes = residentBytes
    this.kill('memory', `${residentBytes} bytes resident`)
  }

  /**
   * Kills the process if its main thread computes without sending messages: in a direct entry, a native function can
   * ignore the end of its time. Processor time counts, because on a busy machine the thread may only be waiting.
   */
  limitSilence(now: number): void {
    if (now - this.heardAt < stuckMs) {
      this.#threadMsInSilence = null
      return
    }
    const threadMs = this.#mainThreadMs()
    if (threadMs === null) return
    this.#threadMsInSilence ??= threadMs
    if (threadMs - this.#threadMsInSilence >= stuckMs) this.kill('stuck')
  }

  /** The processor time of its main thread, or `null` if the system does not report it. */
  #mainThreadMs(): number | null {
    try {
      const pid = this.#pidOfExecutor()
      const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1')
      // The name of the thread, in parentheses, may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = Number(fields[11]) + Number(fields[12])
      return Number.isFinite(ticks) ? ticks * msPerTick : null
    } catch {
      return null
    }
  }

  /** The first process of the chain may be one that only waits for the executor, outside its namespace. */
  #pidOfExecutor(): number {
    this.#executorPid ??= innermost(this.pid!)
    return this.#executorPid
  }

  /** Resident memory in bytes, or `null` if the system does not report it. */
  #measure(): number | null {
    try {
      const pages = Number(readFileSync(`/proc/${this.#pidOfExecutor()}/statm`, 'latin1').split(' ')[1])
      return Number.isFinite(pages) ? pages * 4096 : null
    } catch {
      return null
    }
  }

  #listen(): void {
    const reader = new FrameReader(executorFrameLimit)
    this.#pipe.on('data', (chunk: Buffer) => {
      if (this.#cause !== null) return
      this.heardAt = performance.now()
      try {
        for (const text of reader.read(chunk)) {
          this.#events.message(readExecutorMessage(text))
          if (this.#cause !== null) return
        }
      } catch (error) {
        this.kill('breach', error instanceof Error ? error.message : String(error))
      }
    })
    const stderr = this.#child.stderr!
    stderr.setEncoding('latin1')
    stderr.on('data', (text: string) => {
      if (this.#stderr.length < stderrLimit) this.#stderr += text.slice(0, stderrLimit)
    })
    // The pipes of a dying process break before its exit is reported. Only the exit counts.
    for (const stream of [this.#pipe, this.#child.stdin!, stderr]) stream.on('error', () => {})
    this.#child.on('error', (error) => this.#died(null, error.message))
    this.#child.on('close', (code, signal) => this.#died(signal, `exit code ${code}, ${this.#stderr.trim()}`))
  }

  #died(signal: NodeJS.Signals | null, detail: string): void {
    if (this.#dead) return
    this.#dead = true
    const cause = this.#cause ?? 'crashed'
    this.#cause = cause
    this.#events.death({ cause, signal, detail: this.#detail || detail, residentBytes: this.#residentBytes })
  }
}
