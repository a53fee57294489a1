import { type Figure, undefinedBecause } from './figure.ts'
import { deviation, mean, sum } from './samples.ts'

const noTrade = undefinedBecause('No trade was closed.')
const noLoss = undefinedBecause('No trade lost.')
const noWin = undefinedBecause('No trade won.')

const won = (profits: readonly number[]) => profits.filter((profit) => profit > 0)
const lost = (profits: readonly number[]) => profits.filter((profit) => profit < 0)

/** The average profit of a trade. */
export function expectancy(profits: readonly number[]): Figure {
  return profits.length === 0 ? noTrade : mean(profits)
}

/** The share of trades that won. A trade without profit or loss did not win. */
export function winRate(profits: readonly number[]): Figure {
  return profits.length === 0 ? noTrade : won(profits).length / profits.length
}

/** What was won for each unit that was lost. */
export function profitFactor(profits: readonly number[]): Figure {
  if (profits.length === 0) return noTrade
  const losses = lost(profits)
  return losses.length === 0 ? noLoss : sum(won(profits)) / -sum(losses)
}

/** Van Tharp's System Quality Number, with profits instead of multiples of a risk. */
export function systemQuality(profits: readonly number[]): Figure {
  if (profits.length < 2) {
    return undefinedBecause(`The backtest has ${profits.length} closed trades; at least 2 are needed.`)
  }
  const spread = deviation(profits)
  if (spread === 0) return undefinedBecause('All trades had the same profit.')
  return (Math.sqrt(profits.length) * mean(profits)) / spread
}

/** The share of the money that a gambler would stake with these odds. */
export function kelly(profits: readonly number[]): Figure {
  if (profits.length === 0) return noTrade
  const [wins, losses] = [won(profits), lost(profits)]
  if (losses.length === 0) return noLoss
  if (wins.length === 0) return noWin
  const share = wins.length / profits.length
  return share - (1 - share) / (mean(wins) / -mean(losses))
}
