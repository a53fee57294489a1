/** The messages between the fuzzer and its worker process, and the file in which the worker notes its next input. */

/** How an input failed. Findings with the same `place` are the same fault. */
export type Problem = { place: string; text: string }

export type FuzzJob = {
  type: 'fuzz'
  /** The URL of the target's module. */
  module: string
  seed: number
  /** Inputs to start from, in addition to the target's seeds. */
  corpus: Buffer[]
  /** The first limit of the three that is reached ends the work. */
  milliseconds: number
  executions: number
  faults: number
}
export type TryJob = { type: 'try'; module: string; input: Buffer }
export type Job = FuzzJob | TryJob

export type Found = { input: Buffer; problem: Problem }
export type FuzzReport = {
  executions: number
  /** How many characters of the project's code ran. */
  reached: number
  /** The inputs that reached new code when they were tried; none for targets of values. */
  corpus: Buffer[]
  found: Found[]
}
export type TryReport = { problem: Problem | null }

/** Layout of the file of a worker: number of executions, length of the input, and the input. */
export const noteHeaderBytes = 8

export function readNote(note: Buffer): { executions: number; input: Buffer } {
  if (note.length < noteHeaderBytes) return { executions: 0, input: Buffer.alloc(0) }
  const length = note.readUInt32LE(4)
  return {
    executions: note.readUInt32LE(0),
    input: note.subarray(noteHeaderBytes, noteHeaderBytes + length),
  }
}
