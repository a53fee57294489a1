/** What the fuzzer and its worker process say to each other, and where the worker writes down what it is about to try. */

/** How an input failed. Findings with the same `place` are the same fault. */
export type Problem = { place: string; text: string }

export type FuzzJob = {
  type: 'fuzz'
  /** Address of the module of the target. */
  module: string
  seed: number
  /** Where to begin, beside the target's seeds. */
  corpus: Buffer[]
  /** The first of the three that is reached ends it. */
  milliseconds: number
  executions: number
  faults: number
}
export type TryJob = { type: 'try'; module: string; input: Buffer }
export type Job = FuzzJob | TryJob

export type Found = { input: Buffer; problem: Problem }
export type FuzzReport = {
  executions: number
  /** Characters of our code that ran. */
  reached: number
  /** Inputs of which each reached what none before it did; none for targets of values. */
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
