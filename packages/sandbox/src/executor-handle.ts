/** The parent's end of one executor process: starts it, talks to it over a framed pipe, kills it. Decides nothing. */

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { ExecutorCommand } from './containment.ts'
import { innermost } from './containment-evidence.ts'
import { FrameReader, FrameWriter } from './frames.ts'
import type { GuestCode } from './guest-code.ts'
import {
  type ExecutorMessage,
  executorFrameLimit,
  type OpenMessage,
  type ParentMessage,
  readExecutorMessage,
} from './messages.ts'

/**
 * Why an executor is gone: `crashed` by itself, or killed by the parent. `overdue`: a run did not end at its
 * deadline. `memory`: the process grew over its limit. `breach`: it spoke against the protocol. `silent`: it did not
 * speak at all. `closed`: by request.
 */
export type DeathCause = 'crashed' | 'overdue' | 'memory' | 'breach' | 'silent' | 'closed'

export type Death = {
  cause: DeathCause
  signal: NodeJS.Signals | null
  /** V8's last words, or what the parent saw. */
  detail: string
  /** What it held when it was killed for its memory. */
  residentBytes: number | null
}

export type ExecutorEvents = {
  message(message: ExecutorMessage): void
  /** Called once, when the process has gone. */
  death(death: Death): void
}

/** Most characters of standard error kept: V8's last words. */
const lastWordsLimit = 2_000

export class ExecutorHandle {
  readonly pid: number | undefined
  readonly #child: ChildProcess
  readonly #pipe: Socket
  readonly #writer: FrameWriter
  readonly #events: ExecutorEvents
  #cause: DeathCause | null = null
  #detail = ''
  #residentBytes: number | null = null
  #executorPid: number | undefined
  #lastWords = ''
  #dead = false
  /** When it last spoke, on `performance.now()`'s clock. */
  heardAt = performance.now()

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

  /** Ends the process at once; SIGKILL is the only signal that a stuck thread cannot ignore. */
  kill(cause: DeathCause, detail = ''): void {
    if (this.#cause !== null) return
    this.#cause = cause
    this.#detail = detail
    this.#child.kill('SIGKILL')
    // The first process of the chain may die in the moment before its child asks the kernel to die with it. That child
    // goes on to start an executor, which ends as soon as it finds its pipe closed.
    this.#pipe.destroy()
    this.#child.stdin!.destroy()
  }

  get doomed(): boolean {
    return this.#cause !== null
  }

  /** Kills it if it holds more than it may. */
  limitMemory(limitBytes: number): void {
    const residentBytes = this.#measure()
    if (residentBytes === null || residentBytes <= limitBytes) return
    this.#residentBytes = residentBytes
    this.kill('memory', `${residentBytes} bytes resident`)
  }

  /** Resident memory in bytes, or `null` where the system does not tell. */
  #measure(): number | null {
    try {
      // The first process may only wait for the executor, in whose namespace it is not.
      this.#executorPid ??= innermost(this.pid!)
      const pages = Number(readFileSync(`/proc/${this.#executorPid}/statm`, 'latin1').split(' ')[1])
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
      if (this.#lastWords.length < lastWordsLimit) this.#lastWords += text.slice(0, lastWordsLimit)
    })
    // A dying process breaks its pipes before its exit is reported; the exit is what counts.
    for (const stream of [this.#pipe, this.#child.stdin!, stderr]) stream.on('error', () => {})
    this.#child.on('error', (error) => this.#died(null, error.message))
    this.#child.on('close', (code, signal) =>
      this.#died(signal, `exit code ${code}, ${this.#lastWords.trim()}`),
    )
  }

  #died(signal: NodeJS.Signals | null, detail: string): void {
    if (this.#dead) return
    this.#dead = true
    const cause = this.#cause ?? 'crashed'
    this.#cause = cause
    this.#events.death({ cause, signal, detail: this.#detail || detail, residentBytes: this.#residentBytes })
  }
}
