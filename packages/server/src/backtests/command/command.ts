import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '@tickwright/sandbox'
import { FundingUnknown } from '../../trading/funding.ts'
import { type BacktestParts, type BotPlan, digestOf } from '../backtest.ts'
import { noTrigger } from '../decide.ts'
import { examine } from '../examination.ts'
import { reportPage } from '../report/page/page.ts'
import {
  type Candidate,
  shownSteps,
  tradedSince,
  trainingsOf,
  type WalkWindow,
  walkForward,
} from '../sweep/walk-forward.ts'
import { writeCsv } from './csv-files.ts'
import { triedBots } from './early-end.ts'
import {
  checkParameters,
  checkVolume,
  rangeOf,
  readAnswers,
  readCode,
  readFunding,
  readLastTrigger,
  readMarket,
  readSets,
  readStorage,
} from './input.ts'
import { readOptions, usage } from './options.ts'
import { type Done, jsonOf, resultsOf } from './result.ts'
import { describe, describeAll, describeMarket, describeWindows } from './summary.ts'
import { UsageError } from './usage-error.ts'
import { checkDecisions, checkedWindows } from './walk-options.ts'

/**
 * Executes a backtest as its arguments say. Returns what to print.
 * @throws {UsageError} if it cannot
 */
export async function runCommand(args: readonly string[]): Promise<string> {
  try {
    return await run(args)
  } catch (error) {
    if (!(error instanceof FundingUnknown)) throw error
    throw new UsageError(
      `${error.message} Add it to the file of --funding, or say with --funding-assume which rate counts.`,
    )
  }
}

async function run(args: readonly string[]): Promise<string> {
  if (args.includes('--help') || args.includes('-h')) return usage
  const options = readOptions(args)
  const code = await readCode(options.codeFile)
  const { axes, sets } = await readSets(options)
  checkParameters(code, Object.keys(sets[0]!))
  const data = await readMarket(options.candleFile, options.symbol, Date.now())
  const answers = options.answersFile === null ? [] : await readAnswers(options.answersFile)
  const storage = options.storageFile === null ? null : await readStorage(options.storageFile)
  const lastTrigger =
    options.lastTriggerFile === null ? noTrigger : await readLastTrigger(options.lastTriggerFile)
  const range = rangeOf(data, options)
  checkVolume(data, options)
  const backtests = sets.length * options.settings.length
  checkPoints(backtests, range.end - range.first)
  const { reportFile, csvFolder, jsonFile } = options
  const { walk } = options
  if (options.endAtDrawdown !== null && backtests === 1)
    throw new UsageError('--end-at-drawdown ends some of several combinations early. See --parameter.')
  const windows =
    walk === null
      ? null
      : checkedWindows(data, range, walk, { sets: sets.length, bots: options.settings.length })
  if (backtests > 1 && windows === null && (reportFile !== null || csvFolder !== null)) {
    const name = reportFile === null ? '--csv' : '--report'
    throw new UsageError(`${name} needs one backtest. Give each parameter and option one value.`)
  }
  const funding = options.funding === null ? undefined : await readFunding(options.funding, data, range)
  const conditions = { ...options.conditions, ...(funding && { funding }) }
  const bots = options.settings.map(
    (settings): BotPlan => ({
      ...{ name: 'backtest', settings, rules: options.rules, conditions },
      atEnd: options.atEnd,
    }),
  )

  await using resources = new AsyncDisposableStack()
  const sandbox = await openSandbox({
    ...{ executors: 1, seriesExecutors: 1, seriesPriority: 'normal' },
    apiClient: {
      modulePath: fileURLToPath(import.meta.resolve('@tickwright/client/sandbox')),
      baseUrl: 'http://127.0.0.1:3000',
    },
  })
  resources.defer(() => sandbox.close())
  const line = new ProgressLine(sets.length * (range.end - range.warmUp))
  let [seriesId, before] = [0, 0]
  const parts: BacktestParts = {
    sandbox,
    nextSeriesId: () => ++seriesId,
    progressed: (candles) => line.show(before + candles),
  }
  const all: Done[] = []
  for (const env of sets) {
    const { seed } = options
    const plan = { ...range, code, data, env, seed, answers, storage, lastTrigger }
    all.push(...(await triedBots(parts, plan, bots, options.endAtDrawdown)))
    before += range.end - range.warmUp
  }
  const again = { sandbox, nextSeriesId: parts.nextSeriesId }
  const [only] = all
  const walked = windows === null ? null : await walkOf(all, windows)
  const checks =
    reportFile === null || walked !== null
      ? undefined
      : await examine(again, only!.plan, only!.bot, only!.backtest)
  line.end()
  const results = walked === null ? resultsOf(all, checks) : [walked.result]
  const [first] = results
  const digests = results.map(({ report }) => report.digest)
  const digest = digests.length === 1 ? digests[0]! : digestOf(digests)
  const { traded } = first!.backtest
  if (jsonFile !== null) {
    await writeFile(
      jsonFile,
      `${JSON.stringify({ digest, results: results.map(jsonOf), ...walked?.shown })}\n`,
    )
  }
  if (reportFile !== null) await writeFile(reportFile, reportPage(first!.report, traded))
  if (csvFolder !== null) await writeCsv(csvFolder, traded)
  const windowsText = walked === null ? '' : `${describeWindows(walked.shown.windows)}\n`
  const shown =
    results.length === 1
      ? `${windowsText}${describe(first!)}`
      : `${describeAll(results, axes, options.objective)}\n\nDigest ${digest}`
  return `${describeMarket(first!)}\n${shown}`
}

/**
 * Walks forward with what all decided.
 * @throws {UsageError} if they depend on what their bot holds
 */
async function walkOf(all: readonly Done[], windows: readonly WalkWindow[]) {
  checkDecisions(all.map(({ backtest: { decisions } }) => decisions))
  const { bot, plan } = all[0]!
  const candidates: Candidate[] = []
  for (const { plan, backtest } of all) {
    const { decisions } = backtest
    const trained = await trainingsOf(plan.data, decisions, bot, windows)
    candidates.push({ parameters: plan.env, trained, decisions: () => decisions })
  }
  const walked = await walkForward(plan, candidates, bot, windows)
  const shown = { windows: shownSteps(walked, candidates) }
  const { startMs } = walked.backtest.traded
  // Each candidate is a trial, too: someone may have taken it instead.
  const others = all.map(({ backtest: { traded } }) => tradedSince(traded, startMs))
  const done = { ...walked, bot, more: { walk_forward: shown.windows } }
  return { result: resultsOf([done], undefined, others)[0]!, shown }
}

/** The most points of equity that all backtests of a command may have together: each keeps its own until the end. */
const mostPoints = 10_000_000

function checkPoints(backtests: number, candles: number): void {
  if (backtests * candles <= mostPoints) return
  throw new UsageError(
    `${backtests} backtests on ${candles} candles have ${backtests * candles} points of equity; at most ${mostPoints} are allowed. Give fewer values or a shorter time.`,
  )
}

/** A line with the progress, which a terminal shows and a file does not get. */
class ProgressLine {
  #total: number
  #shownAt = 0

  constructor(total: number) {
    this.#total = total
  }

  show(candles: number): void {
    if (!process.stderr.isTTY || performance.now() - this.#shownAt < 100) return
    this.#shownAt = performance.now()
    process.stderr.write(`\r${Math.floor((100 * candles) / this.#total)} % of the runs are done`)
  }

  end(): void {
    if (this.#shownAt > 0) process.stderr.write('\r\u001B[K')
  }
}
