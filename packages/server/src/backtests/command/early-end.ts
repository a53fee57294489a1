/** The combinations of a command, of which those may end early whose equity has fallen too far. */
import { type BacktestParts, type BotPlan, backtest, type DecidePlan, tradeDecided } from '../backtest.ts'
import type { Decisions } from '../decide.ts'
import { decisionsUntil } from '../sweep/tried.ts'
import type { Done } from './result.ts'

/**
 * What became of each bot with the parameters of a plan. Those that go along all candles are the same as without the rule.
 * @param drawdownPercent a combination ends at the first close at which its equity is so far below its highest; `null`: none
 */
export async function triedBots(
  parts: BacktestParts,
  plan: DecidePlan,
  bots: readonly BotPlan[],
  drawdownPercent: number | null,
): Promise<Done[]> {
  if (drawdownPercent === null) {
    const done = await backtest(parts, plan, bots)
    return done.map((each, index) => ({ plan, bot: bots[index]!, backtest: each }))
  }
  const all: Done[] = []
  let known: Decisions | undefined
  for (const bot of bots) {
    const over = new AbortController()
    const ending = { ...bot, givesUp: { drawdownPercent, gaveUp: () => over.abort() } }
    const reused = known && { known: () => ({ decisions: known!, at: null }) }
    const [tried] = await backtest({ ...parts, ...reused, isAlone: true, stop: over.signal }, plan, [ending])
    const { decisions, traded } = tried!
    if (traded.gaveUp !== undefined) {
      const { atMs, openedMs } = traded.gaveUp
      const more = { ended_at: new Date(atMs).toISOString() }
      all.push({ plan, bot, more, backtest: { ...tried!, decisions: decisionsUntil(decisions, openedMs) } })
      continue
    }
    if (!decisions.asksPositions) known = decisions
    all.push({ plan, bot, backtest: await tradeDecided(plan, bot, decisions) })
  }
  return all
}
