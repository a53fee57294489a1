/** Reads Parquet files of users in a thread of their own. */
import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type ParquetLimits, ParquetProblem } from './decode.ts'

const program = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url)

/** What the thread is asked for. */
export type ParquetTask = { bytes: Uint8Array<ArrayBuffer>; names: readonly string[]; limits: ParquetLimits }

/** What the reading of one file may take. */
export type ParquetAllowance = { limits: ParquetLimits; memoryMb: number; timeoutMs: number }

/** For a request: a longer series comes in several files, and the largest ones take a second or two. */
const ofRequest: ParquetAllowance = {
  limits: { mostRows: 100_000, mostBytes: 64 * 1024 * 1024 },
  memoryMb: 512,
  timeoutMs: 10_000,
}
const tooMuch = 'reading it takes too much memory or time.'

/**
 * The columns of a file with these names as CSV with a header.
 * @throws {ParquetProblem} if it is damaged, or takes too much memory or time
 */
export async function readParquet(
  bytes: Uint8Array,
  names: readonly string[],
  { limits, memoryMb, timeoutMs }: ParquetAllowance = ofRequest,
): Promise<string> {
  const task: ParquetTask = { bytes: new Uint8Array(bytes), names, limits }
  const worker = new Worker(program, {
    ...{ workerData: task, env: {}, execArgv: [] },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16 },
  })
  const timeout = setTimeout(() => void worker.terminate(), timeoutMs)
  try {
    const [answer] = await Promise.race([
      once(worker, 'message'),
      once(worker, 'exit').then(() => [{ problem: tooMuch }]),
    ])
    if (answer.problem !== undefined) throw new ParquetProblem(answer.problem)
    return answer.csv
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
    throw new ParquetProblem(tooMuch)
  } finally {
    clearTimeout(timeout)
    await worker.terminate()
  }
}
