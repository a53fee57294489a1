import { Notice } from '../../parts/Notice.tsx'
import type { RecordProps } from '../../parts/records/Records.tsx'
import { Trades } from '../../parts/records/Records.tsx'

/** The service lists trades by bot, so each part of the list takes a request for each bot. */
const mostBots = 40

/** The trades of the chosen bots, newest first. */
export function AllTrades({ scope, allBots, ...rest }: RecordProps & { allBots: readonly number[] }) {
  const bots = scope.bots ?? allBots
  if (bots.length > mostBots)
    return (
      <Notice>
        These are {bots.length} bots. The page shows the trades of {mostBots} at most: choose a bot or a mode.
      </Notice>
    )
  return <Trades scope={{ ...scope, bots }} {...rest} />
}
