import { fileURLToPath } from 'node:url'
import { openSandbox, type Sandbox, type SeriesRequest } from '@tickwright/sandbox'
import type { BacktestResult, SweepPlan } from '../../../db/schema.ts'
import { type FundingMoment, FundingUnknown } from '../../../trading/funding.ts'
import {
  type Backtest,
  type BacktestParts,
  type BotPlan,
  backtest,
  type DecidePlan,
  digestOf,
  type Known,
  runsOf,
} from '../../backtest.ts'
import { type Result, resultsOf } from '../../command/result.ts'
import { examine } from '../../examination.ts'
import { MarketData } from '../../market-data.ts'
import type { AskModel, EventRecord, LiveModel } from '../../model/live-model.ts'
import { modelChecks } from '../../model/recorded-check.ts'
import { candlesIn } from '../../question.ts'
import { reportPage } from '../../report/page/page.ts'
import type { Report } from '../../report/report.ts'
import { rulesOf } from '../../rules.ts'
import { tableOf } from '../../sweep/best.ts'
import { variesCode } from '../../sweep/plan.ts'
import { keptCandles } from '../chart-candles.ts'
import { conditionsOf } from '../conditions.ts'
import {
  lengthsOf,
  nothingYet,
  packArrival,
  packCandles,
  packDecided,
  packJson,
  packText,
  unpackCandles,
  unpackJson,
  unpackKnown,
} from '../packed.ts'
import { recordsOf } from '../records.ts'
import { DeliveryPages } from './delivery-pages.ts'
import type { FromProcess, Job, Part } from './messages.ts'
import { Pages } from './pages.ts'
import type { SeriesColumns } from './series-columns.ts'
import { digestsOf, type SweepParts, type Swept, tryAll, WalkImpossible } from './sweep.ts'

/** How often it stores where it is. */
const checkpointMs = 1_000
const recordsInPart = 1_000

type Send = (message: FromProcess) => Promise<void>

/**
 * `series`: the candles, if they did not come with the job. `pages`: the packed deliveries that the code runs on. `records`: what is known of a model on them, packed. `tried`: the
 * packed results of the first combinations of a sweep. `ask` and `askModel`: have the service send a request of the code, or
 * a question.
 */
type Outside = {
  series: SeriesColumns | undefined
  pages: readonly Uint8Array[]
  records: readonly Uint8Array[]
  tried: readonly Uint8Array[]
  send: Send
  ask: BacktestParts['send'] & {}
  askModel: AskModel
}

/** Executes a backtest from where it had arrived, and sends its results. Rejects if it is stopped. */
export async function work(job: Job, outside: Outside, stop: AbortSignal): Promise<void> {
  const { pages, tried, send, ask } = outside
  const { code, symbol, env, plan } = job
  const data = new MarketData(symbol, outside.series?.candles ?? unpackCandles(job.candles))
  const decidePlan: DecidePlan = {
    ...candlesIn(data, plan),
    ...{ code, data, env, parameters: plan.parameters, seed: plan.seed, answers: plan.answers },
    ...{ storage: plan.storage, lastTrigger: plan.lastTrigger },
    ...(plan.http && { http: plan.http }),
    ...(plan.model && { model: plan.model }),
    // On these, a model has decided already.
    ...(plan.deliveries &&
      plan.model?.mode !== 'recorded' && { deliveries: new DeliveryPages(pages, plan.deliveries) }),
  }
  const funding = job.funding && (unpackJson(job.funding) as FundingMoment[])
  const bots = plan.bots.map(
    ({ name, settings }): BotPlan => ({
      ...{ name, settings, rules: rulesOf(symbol, plan.market), atEnd: plan.atEnd },
      conditions: conditionsOf(plan.market, { symbol, settings }, funding),
    }),
  )
  await using executors = new Executors(job)
  // Then the series reject.
  stop.addEventListener('abort', () => void executors.close())
  let seriesId = 0
  const parts: BacktestParts = { sandbox: executors, nextSeriesId: () => ++seriesId, stop, send: ask }
  if (job.model !== undefined) parts.live = liveOf(job.model, outside)
  const checkpoints = new Checkpoints(job, decidePlan, send)
  try {
    const swept = await sweepOf(plan.sweep, checkpoints, {
      ...{ parts, plan: decidePlan, bot: bots[0]!, stored: tried, send },
    })
    const { examines } = plan
    const walked = swept?.walked ?? null
    const results =
      walked !== null
        ? resultsOf([walked.done], undefined, swept!.others)
        : await execute(
            { ...parts, ...checkpoints.parts },
            swept === null ? { plan: decidePlan, bots, examines } : { ...swept, bots: [swept.bot], examines },
          )
    await checkpoints.sent
    stop.throwIfAborted()
    await sendCandles(results[0]!.plan, send)
    for (const [bot, result] of results.entries()) await sendResult(bot, result, send)
    if (swept !== null) await sendTable(swept, plan.sweep!, results[0]!.report, send)
    const digests =
      swept === null ? results.map(({ report }) => report.digest) : digestsOf(swept, results[0]!.report)
    const digest = digests.length === 1 ? digests[0]! : digestOf(digests)
    const { model } = results[0]!.plan
    const summaries = results.map(({ report }) => summaryOf(report))
    await send({ type: 'finished', digest, results: summaries, ...(model && { model }) })
  } catch (error) {
    if (error instanceof WalkImpossible) return await send({ type: 'failed', message: error.message })
    if (!(error instanceof FundingUnknown)) throw error
    await checkpoints.sent
    const message = `${error.message} Give it in market.funding, or say with market.funding.assume which rate counts.`
    await send({ type: 'failed', message })
  }
}

async function execute(
  parts: BacktestParts,
  {
    plan,
    bots,
    examines,
    others,
  }: { plan: DecidePlan; bots: BotPlan[]; examines: boolean; others?: Swept['others'] },
): Promise<Result[]> {
  const done = await backtest(parts, plan, bots)
  parts.stop?.throwIfAborted()
  const all = done.map((each, index) => ({
    plan: afterwards(plan, each),
    bot: bots[index]!,
    backtest: each,
  }))
  const [first] = all
  const { known: _known, arrived: _arrived, ...again } = parts
  const checks = examines
    ? await examine(again, plan, first!.bot, first!.backtest)
    : first!.plan.model && modelChecks(first!.plan.model)
  return resultsOf(all, checks, others)
}

/** With what became of the events of a model that was asked. */
function afterwards(plan: DecidePlan, { decisions: { model: counts } }: Backtest): DecidePlan {
  if (plan.model === undefined || counts === undefined) return plan
  const { questionTokens: _estimated, ...model } = plan.model
  return { ...plan, model: { ...model, ...counts } }
}

function liveOf(model: LiveModel, { records, askModel: ask }: Outside): BacktestParts['live'] & {} {
  const pages = new Pages<EventRecord>(records)
  return { model, ask, recordOf: (run) => pages.at(run) }
}

/** Tries the combinations of a sweep, of which the best one follows as a backtest of its own; `null`: it is none. */
async function sweepOf(
  sweep: SweepPlan | undefined,
  checkpoints: Checkpoints,
  rest: Pick<SweepParts, 'parts' | 'plan' | 'bot' | 'stored' | 'send'>,
): Promise<Swept | null> {
  if (sweep === undefined) return null
  // One set of parameters is decided once, for all combinations and for other backtests.
  const isShared = !variesCode(sweep)
  const known = isShared ? checkpoints.parts.known(0) : undefined
  const decided = known?.at === null ? known.decisions : undefined
  const swept = await tryAll({ ...rest, sweep, known: decided })
  await checkpoints.follow(swept, isShared)
  return swept
}

/** The sandbox of the backtest, which opens when there is code to execute. */
class Executors implements AsyncDisposable {
  readonly #job: Job
  #sandbox: Promise<Sandbox> | undefined
  #isClosed = false

  constructor(job: Job) {
    this.#job = job
  }

  /** Rejects after {@link close}. */
  async series(request: SeriesRequest): Promise<void> {
    if (this.#isClosed) throw new Error('The executors are closed.')
    this.#sandbox ??= this.#open()
    await (await this.#sandbox).series(request)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sandbox?.then((sandbox) => sandbox.close())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #open(): Promise<Sandbox> {
    const { jit, runsPerIsolate, publicUrl } = this.#job.sandbox
    return openSandbox({
      // They have the priority of this process. Without a warm isolate, each message of a series would make a new one.
      ...{ executors: 0, seriesExecutors: 1, seriesPriority: 'normal', warmIsolates: 1 },
      ...{ jit, runsPerIsolate },
      apiClient: {
        modulePath: fileURLToPath(import.meta.resolve('@tickwright/client/sandbox')),
        baseUrl: publicUrl,
      },
    })
  }
}

/** Tells the service where the backtest has arrived, now and then. */
class Checkpoints {
  readonly #job: Job
  readonly #runs: { first: number; last: number }
  readonly #send: Send
  /** For each bot: the lengths of the lists, and the number of their parts, that are stored. */
  readonly #stored = new Map<number, { lengths: typeof nothingYet; parts: number }>()
  readonly #known = new Map<number, Known>()
  #at = performance.now()
  #isSending = false
  /** After a sweep: the runs until then, and whether other backtests may use what is decided. */
  #sweep = { runs: 0, isShared: true }
  /** Resolves when the service has all that was sent. */
  sent: Promise<void> = Promise.resolve()

  constructor(job: Job, plan: DecidePlan, send: Send) {
    this.#job = job
    this.#runs = runsOf(plan).within(plan.warmUp, plan.end)
    this.#send = send
    for (const { bot, arrival, decided } of job.known) {
      const known = unpackKnown(arrival, decided)
      this.#known.set(bot, known)
      this.#stored.set(bot, { lengths: lengthsOf(known.decisions), parts: decided.length })
    }
  }

  get parts(): Required<Pick<BacktestParts, 'known' | 'arrived'>> {
    return {
      known: (bot) => this.#known.get(bot),
      arrived: (bot, known) => this.#arrived(bot, known),
    }
  }

  /** All combinations of a sweep are tried, and its best one follows. */
  async follow({ runsDone, decisions }: Swept, isShared: boolean): Promise<void> {
    this.#sweep = { runs: isShared ? 0 : runsDone, isShared }
    if (!isShared || decisions === undefined || decisions.asksPositions) return
    const known = { decisions, at: null }
    this.#known.set(0, known)
    this.#arrived(0, known)
    await this.sent
  }

  #arrived(bot: number, known: Known): void {
    const isEnd = known.at === null
    if (!isEnd && (this.#isSending || performance.now() - this.#at < checkpointMs)) return
    this.#isSending = true
    // It goes on meanwhile, so this is packed now.
    const { lengths, parts: count } = this.#stored.get(bot) ?? { lengths: nothingYet, parts: 0 }
    const decided = packDecided(known.decisions, lengths)
    const part = (kind: Part['kind'], number: number, content: Uint8Array): Part => ({
      ...{ bot, kind, number, first: 0, records: 0, content },
    })
    const parts = [part('checkpoint', 0, packArrival(known))]
    if (decided !== null) parts.push(part('decided', count, decided))
    const { asksPositions } = known.decisions
    this.#stored.set(bot, {
      lengths: lengthsOf(known.decisions),
      parts: count + Number(decided !== null),
    })
    const { first, last } = this.#runs
    const runs = last - first
    const before = this.#sweep.runs
    const checkpoint = {
      runs: before + (asksPositions ? runs * this.#job.plan.bots.length : runs),
      runsDone: before + bot * runs + ((known.at?.next ?? last) - first),
      parts,
      isDecided: isEnd && !asksPositions && this.#sweep.isShared,
    }
    this.sent = this.sent
      .then(() => this.#send({ type: 'checkpoint', checkpoint }))
      .then(() => {
        this.#isSending = false
        this.#at = performance.now()
      })
  }
}

async function sendTable(
  { tried, walked }: Swept,
  sweep: SweepPlan,
  { checks }: Report,
  send: Send,
): Promise<void> {
  const place = { bot: 0, kind: 'sweep' as const, number: 0, first: 0, records: tried.length }
  await send({
    type: 'part',
    part: { ...place, content: packJson(tableOf(tried, sweep, checks, walked?.windows ?? null)) },
  })
}

/** For charts. They are the same for all bots, so they are kept with the first one. */
async function sendCandles({ data, first, end }: DecidePlan, send: Send): Promise<void> {
  const kept = keptCandles(data.candles, first, end)
  const place = { bot: 0, kind: 'candle' as const, number: 0, first: 0, records: kept.times.length }
  await send({ type: 'part', part: { ...place, content: await packCandles(kept) } })
}

async function sendResult(bot: number, { report, backtest }: Result, send: Send): Promise<void> {
  const part = (kind: Part['kind'], number: number, first: number, records: number, content: Uint8Array) =>
    send({ type: 'part', part: { bot, kind, number, first, records, content } })
  await part('report', 0, 0, 1, packJson(report))
  await part('page', 0, 0, 1, packText(reportPage(report, backtest.traded)))
  for (const [kind, records] of recordsOf(backtest)) {
    for (let first = 0; first < records.length; first += recordsInPart) {
      const some = records.slice(first, first + recordsInPart)
      await part(kind, first / recordsInPart, first, some.length, packJson(some))
    }
  }
}

function summaryOf(report: Report): BacktestResult {
  const figure = (name: string) => report.metrics.find((metric) => metric.name === name)?.value ?? null
  return {
    digest: report.digest,
    quote: report.quote,
    startEquity: report.start_equity,
    endEquity: report.end_equity,
    returnPercent: figure('return_percent'),
    maxDrawdownPercent: figure('max_drawdown_percent'),
    sharpe: figure('sharpe'),
    trades: figure('trades') ?? 0,
  }
}
