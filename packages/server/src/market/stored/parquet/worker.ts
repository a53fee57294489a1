/**
 * The thread that reads a Parquet file. Decoding keeps a thread busy for a while, and a hostile file may ask for any memory:
 * what waits for this thread ends it then.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { parquetToCsv } from './decode.ts'
import type { ParquetTask } from './parquet.ts'

const { bytes, names, limits } = workerData as ParquetTask
const answer = await parquetToCsv(bytes, names, limits).then(
  (csv) => ({ csv }),
  (error: Error) => ({ problem: error.message }),
)
parentPort!.postMessage(answer)
