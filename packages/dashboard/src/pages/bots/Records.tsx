import type { Beside } from '../../parts/beside.ts'
import { Empty } from '../../parts/Notice.tsx'
import { BotSignals, Fills, Orders, Trades } from '../../parts/records/Records.tsx'

/** Which records of a bot a tab shows, with why there may be none. */
export const recordTabs = [
  {
    id: 'signals',
    name: 'Signals',
    content: (botId: number, beside: Beside | undefined) => (
      <BotSignals
        botId={botId}
        beside={beside}
        empty={
          <Empty title="No signals yet">A bot gets the signals of its webhook while it is active.</Empty>
        }
      />
    ),
  },
  {
    id: 'orders',
    name: 'Orders',
    content: (botId: number) => (
      <Orders
        scope={{ bot: botId }}
        empty={
          <Empty title="No orders yet">
            The bot plans an order when a signal asks it to open or close a position.
          </Empty>
        }
      />
    ),
  },
  {
    id: 'fills',
    name: 'Fills',
    content: (botId: number) => (
      <Fills
        scope={{ bot: botId }}
        empty={<Empty title="No fills yet">A fill is an execution of an order.</Empty>}
      />
    ),
  },
  {
    id: 'trades',
    name: 'Trades',
    content: (botId: number) => (
      <Trades
        scope={{ bot: botId }}
        empty={
          <Empty title="No trades yet">
            A trade begins when a position is opened, and ends when it is closed.
          </Empty>
        }
      />
    ),
  },
] as const
