/** What the service and the process of a backtest tell each other. */
import type { HttpRequest, HttpResponse } from '@tickwright/sandbox'
import type {
  BacktestModel,
  BacktestPartKind,
  BacktestPlan,
  BacktestResult,
  BacktestSeries,
} from '../../../db/schema.ts'
import type { LiveModel, ModelQuestion, ModelReply } from '../../model/live-model.ts'

/** What the process needs. Candles and what is known are packed. */
export type Job = {
  code: string
  symbol: string
  plan: BacktestPlan
  env: Record<string, string>
  /** Empty with a stored series. */
  candles: Uint8Array
  /** `null`: positions pay nothing. */
  funding: Uint8Array | null
  /** For each bot that has a checkpoint. */
  known: { bot: number; arrival: Uint8Array; decided: Uint8Array[] }[]
  /** The model that the backtest may ask, without its key. */
  model?: LiveModel
  sandbox: { jit: boolean; runsPerIsolate: number; publicUrl: string }
}

export type FromService =
  /** Before the start: the next part of the stored series that it has its candles from. */
  | { type: 'series'; part: Uint8Array; of: BacktestSeries; periodMs: number }
  /** Before the start: the next packed deliveries that the code runs on. */
  | { type: 'deliveries'; page: Uint8Array }
  /** Before the start: what is known of the next deliveries that a model decides on, packed. */
  | { type: 'records'; page: Uint8Array }
  /** Before the start of a sweep: the packed result of its next combination, if it has one already. */
  | { type: 'tried'; result: Uint8Array }
  | { type: 'start'; job: Job }
  /** What the process has sent last is stored. */
  | { type: 'stored' }
  | Answered

/** What became of a request of the code, or of a question to a model, which the process has asked the service to send. */
export type Answered = { type: 'answered'; id: number } & (
  | { response: HttpResponse }
  | { reply: ModelReply }
  | { error: { name: string; message: string } }
)

export type Part = {
  bot: number
  kind: BacktestPartKind
  number: number
  first: number
  records: number
  content: Uint8Array
}

export type Checkpoint = {
  /** Runs of the code for all bots, and how many of them are over. */
  runs: number
  runsDone: number
  /** Its checkpoint, and what was decided since the one before. */
  parts: Part[]
  /** Whether all is decided that other backtests may use. */
  isDecided: boolean
}

export type FromProcess =
  /** The service answers `answered`, unless the run is over before: then the process no longer needs it. */
  | { type: 'ask'; id: number; request: HttpRequest }
  | { type: 'ask_model'; id: number; question: ModelQuestion }
  | { type: 'unneeded'; id: number }
  | { type: 'checkpoint'; checkpoint: Checkpoint }
  | { type: 'part'; part: Part }
  /** `model`: as it stands at the end. */
  | { type: 'finished'; digest: string; results: BacktestResult[]; model?: BacktestModel }
  /** `message` is a sentence for the user. */
  | { type: 'failed'; message: string }
