import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '@tickwright/sandbox'
import { type BacktestParts, type BotPlan, backtest, digestOf } from '../backtest.ts'
import { noTrigger } from '../decide.ts'
import { checkParameters, rangeOf, readAnswers, readCode, readMarket } from './input.ts'
import { readOptions, rulesOf, usage } from './options.ts'
import { jsonOf, type Result, resultOf } from './result.ts'
import { describe, describeAll, describeMarket } from './summary.ts'

/**
 * Executes a backtest as its arguments say. Returns what to print.
 * @throws {UsageError} if it cannot
 */
export async function runCommand(args: readonly string[]): Promise<string> {
  if (args.includes('--help') || args.includes('-h')) return usage
  const options = readOptions(args)
  const code = await readCode(options.codeFile)
  checkParameters(code, Object.keys(options.variables[0]!))
  const data = await readMarket(options.candleFile, options.symbol, Date.now())
  const answers = options.answersFile === null ? [] : await readAnswers(options.answersFile)
  const range = rangeOf(data, options)
  const bots = options.settings.map(
    (settings): BotPlan => ({
      ...{ name: 'backtest', settings, rules: rulesOf(options.symbol), atEnd: options.atEnd },
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
  const line = new ProgressLine(options.variables.length * (range.end - range.warmUp))
  let [seriesId, before] = [0, 0]
  const parts: BacktestParts = {
    sandbox,
    nextSeriesId: () => ++seriesId,
    progressed: (candles) => line.show(before + candles),
  }
  const results: Result[] = []
  for (const env of options.variables) {
    const { seed } = options
    const plan = { ...range, code, data, env, seed, answers, storage: null, lastTrigger: noTrigger }
    const done = await backtest(parts, plan, bots)
    results.push(...done.map((each, index) => resultOf(plan, bots[index]!, each)))
    before += range.end - range.warmUp
  }
  line.end()
  const texts = results.map(jsonOf)
  const digest = texts.length === 1 ? texts[0]!.digest : digestOf(texts.map((each) => each.digest))
  if (options.jsonFile !== null) {
    await writeFile(options.jsonFile, `${JSON.stringify({ digest, results: texts })}\n`)
  }
  const [first] = results
  const shown =
    results.length === 1 ? describe(first!, digest) : `${describeAll(results)}\n\nDigest ${digest}`
  return `${describeMarket(first!)}\n${shown}`
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
