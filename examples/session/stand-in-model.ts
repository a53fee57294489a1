/** A model that costs nothing: it asks for candles, and follows two averages of their closing prices. */
import { call, type Model, type StandIn, startProvider } from '../../packages/server/test/ai/stand-in.ts'

const [fastDays, slowDays] = [10, 30]

/** Starts a server on this machine that speaks as OpenAI does (https://platform.openai.com/docs/api-reference/chat). */
export function startStandInModel(): Promise<StandIn> {
  return startProvider('openai', (question) => {
    const said = think(question)
    // About four characters are a token in English.
    const tokens = (text: string) => Math.ceil(text.length / 4)
    return { ...said, tokens: { input: tokens(question.text), output: tokens(JSON.stringify(said)) } }
  })
}

function think({ text, turn, results }: Parameters<Model>[0]) {
  if (turn === 0) {
    const symbol = /You trade (\S+)/.exec(text)?.[1] ?? 'BTC/USDT'
    const asked = { exchange: 'binance', symbol, interval: '1d', count: slowDays + 1 }
    return { calls: [call('get_candles', asked)] }
  }
  const closes = closesIn(results[0]!)
  if (closes === undefined || closes.length < slowDays) return { text: 'There are too few candles yet.' }
  const [fast, slow] = [average(closes.slice(-fastDays)), average(closes.slice(-slowDays))]
  const isLong = /Our last action was LONG/.test(text)
  const reason = `The average of ${fastDays} days is ${fast.toPrecision(6)}, that of ${slowDays} days ${slow.toPrecision(6)}.`
  if (turn > 1) return { text: reason }
  if (fast > slow && !isLong) return { text: reason, calls: [call('open_position', { direction: 'LONG' })] }
  if (fast < slow && isLong) return { text: reason, calls: [call('close_position')] }
  return { text: reason }
}

/** The closing prices of the finished candles in a reply of `get_candles`. */
function closesIn(reply: string): number[] | undefined {
  const { columns, candles, last_is_unfinished: isUnfinished } = JSON.parse(reply)
  if (candles === null) return undefined
  const close = columns.indexOf('close')
  const rows: number[][] = isUnfinished ? candles.slice(0, -1) : candles
  return rows.map((row) => row[close]!)
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
