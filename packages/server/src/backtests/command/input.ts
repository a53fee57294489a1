/** Reads the files of a backtest, and refuses what no backtest can use. */
import { readFile } from 'node:fs/promises'
import { type LastTrigger, SyntaxChecker, storageByteLimit } from '@tickwright/sandbox'
import { AppError } from '../../base/errors.ts'
import { CandleFileError, lineOfCandle, parseCandles, readTime } from '../../market/simulated/candle-file.ts'
import { ParquetProblem } from '../../market/stored/parquet/decode.ts'
import { readParquet } from '../../market/stored/parquet/parquet.ts'
import { figuresOf } from '../../market/stored/parts.ts'
import { checkCode } from '../../strategies/code-check.ts'
import { type FundingMoment, fundingMoments } from '../../trading/funding.ts'
import type { GivenAnswer } from '../host.ts'
import { MarketData } from '../market-data.ts'
import { type AskedTimes, type CandleRange, candlesIn, neverRead } from '../question.ts'
import { parseFunding } from './funding-file.ts'
import type { FundingOptions } from './market-options.ts'
import type { BacktestOptions } from './options.ts'
import { parseSets, type SweptParameters } from './parameters.ts'
import { UsageError } from './usage-error.ts'

/**
 * The code, which can be saved as it is.
 * @throws {UsageError}
 */
export async function readCode(file: string): Promise<string> {
  const code = (await readBytes(file)).toString('utf8')
  const syntax = new SyntaxChecker()
  try {
    await checkCode(code, 0, syntax)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new UsageError(`${file}: ${error.message}`)
  } finally {
    await syntax.close()
  }
  return code
}

/**
 * The finished candles of a file.
 * @throws {UsageError} naming the line of the first candle that is out of order, repeated, impossible or in the future
 */
export async function readMarket(file: string, symbol: string, nowMs: number): Promise<MarketData> {
  const given = await readBytes(file)
  const isParquet = given.subarray(0, parquetMagic.length).toString('latin1') === parquetMagic
  const bytes = isParquet ? await csvOfParquet(given, file) : given
  try {
    const candles = parseCandles(bytes, file)
    const { times } = candles
    const future = times.findIndex((time) => time > nowMs)
    if (future >= 0) {
      const opens = new Date(times[future]!).toISOString()
      const line = lineOfCandle(bytes, future)
      throw new UsageError(`${file}, line ${line}: the candle is from the future, it opens at ${opens}.`)
    }
    const data = new MarketData(symbol, candles)
    if (data.endOf(times.length - 1) <= nowMs) return data
    if (times.length === 1) throw new UsageError(`${file} has no finished candle.`)
    return data.without(1)
  } catch (error) {
    if (!(error instanceof CandleFileError)) throw error
    throw new UsageError(error.message)
  }
}

const parquetMagic = 'PAR1'
/** The command has this machine for itself. A damaged file can keep the decoder busy for ever. */
const parquetAllowance = (sizeBytes: number) => ({
  limits: { mostRows: 5_000_000, mostBytes: 400 * 1024 * 1024 },
  memoryMb: 4_096,
  timeoutMs: 20_000 + sizeBytes / 100,
})

/** A row of the file is a line: the first one is line 2, behind the header. */
async function csvOfParquet(bytes: Buffer, file: string): Promise<Buffer> {
  try {
    const allowance = parquetAllowance(bytes.byteLength)
    return Buffer.from(await readParquet(bytes, ['time', ...figuresOf.candles], allowance))
  } catch (error) {
    if (!(error instanceof ParquetProblem)) throw error
    throw new UsageError(`${file} cannot be used: ${error.message}`)
  }
}

/**
 * The candles of the time that was asked for: the code runs from `warmUp` on, and the bot trades from `first` on.
 * @throws {UsageError} if there are none
 */
export function rangeOf(data: MarketData, times: AskedTimes): CandleRange {
  const range = candlesIn(data, times)
  if (range.first < range.end) return range
  const [from, to] = [data.candles.times[0]!, data.endOf(data.length - 1)].map((ms) =>
    new Date(ms).toISOString(),
  )
  throw new UsageError(`The file has no candles in this time. Its candles are from ${from} to ${to}.`)
}

/** @throws {UsageError} if the bot may trade a part of a volume that the candles do not have */
export function checkVolume(
  { candles }: MarketData,
  { conditions }: Pick<BacktestOptions, 'conditions'>,
): void {
  if (conditions.participation === undefined || candles.volumes.some((volume) => volume > 0)) return
  throw new UsageError('--participation needs candles with a volume, and the file has none.')
}

/**
 * The moments of funding while the bot trades.
 * @throws {UsageError}
 */
export async function readFunding(
  { file, assumed, everyMs }: FundingOptions,
  data: MarketData,
  { first, end }: { first: number; end: number },
): Promise<FundingMoment[]> {
  const rates = file === null ? [] : parseFunding((await readBytes(file)).toString('utf8'), file)
  const period = { fromMs: data.candles.times[first]!, toMs: data.endOf(end - 1), assumed }
  return fundingMoments(rates, { ...period, ...(everyMs !== null && { everyMs }) })
}

/**
 * The parameters of each backtest, of the options or of the file that they name.
 * @throws {UsageError}
 */
export async function readSets({
  parameters,
  setsFile,
}: Pick<BacktestOptions, 'parameters' | 'setsFile'>): Promise<SweptParameters> {
  return setsFile === null ? parameters : parseSets((await readBytes(setsFile)).toString('utf8'), setsFile)
}

/** @throws {UsageError} for a parameter that the code never reads: it would change nothing */
export function checkParameters(code: string, names: readonly string[]): void {
  const [name] = neverRead(code, names)
  if (name !== undefined)
    throw new UsageError(`The code never reads the parameter ${name}: nothing in it is called so.`)
}

/** @throws {UsageError} */
export async function readAnswers(file: string): Promise<GivenAnswer[]> {
  const value = await readJson(file)
  if (Array.isArray(value) && value.every(isAnswer)) return value
  throw new UsageError(
    `${file} must be a list of { "method": "GET", "url": "https://…", "body": null, "status": 200, "text": "…" }.`,
  )
}

/**
 * What `$.Storage` has at the start, as JSON text.
 * @throws {UsageError}
 */
export async function readStorage(file: string): Promise<string> {
  const text = JSON.stringify(await readJson(file))
  const bytes = Buffer.byteLength(text)
  if (bytes <= storageByteLimit) return text
  throw new UsageError(`${file} has ${bytes} bytes of JSON; $.Storage has at most ${storageByteLimit}.`)
}

/**
 * What `$.Strategy.lastTrigger` is at the start.
 * @throws {UsageError}
 */
export async function readLastTrigger(file: string): Promise<LastTrigger> {
  const { action, price = null, at = null } = ((await readJson(file)) ?? {}) as Record<string, unknown>
  const atMs = at === null ? null : readTime(String(at))?.ms
  const isPrice = price === null || (typeof price === 'number' && price >= 0 && price <= highestPrice)
  const isAction = action === 'LONG' || action === 'SHORT' || action === 'EXIT'
  if (isAction && isPrice && atMs !== undefined) return { action, price, at: atMs }
  throw new UsageError(
    `${file} must be like { "action": "LONG", "price": 100, "at": "2026-01-31T12:00:00Z" }, without or with price and time.`,
  )
}

const highestPrice = 1e15

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readBytes(file)).toString('utf8'))
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`)
  }
}

function isAnswer(value: unknown): value is GivenAnswer {
  if (typeof value !== 'object' || value === null) return false
  const { method, url, body = null, status, text } = value as Record<string, unknown>
  const isText = (each: unknown) => typeof each === 'string'
  return (
    isText(method) &&
    isText(url) &&
    isText(text) &&
    (body === null || isText(body)) &&
    Number.isInteger(status)
  )
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
