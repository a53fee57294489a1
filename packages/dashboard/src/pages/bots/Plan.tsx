import type { ExchangeConnection, SignalBotInList } from '@tickwright/client'
import { formatDuration } from '../../base/times.ts'
import { botExchangesQuery, connectionsQuery, exchangeText } from '../../data/accounts.ts'
import { useQuery } from '../../data/use-query.ts'
import { entryInShort } from '../../parts/entry/words.ts'
import { Facts } from '../../parts/Facts.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { formatLevel, settingsInShort } from '../../parts/protection/words.ts'
import { Foreign, Value } from '../../parts/Values.tsx'
import { amountUnit } from './settings.ts'

/** What a bot trades once it is on: named before anyone confirms that it may. */
export function Plan({ bot }: { bot: SignalBotInList }) {
  const { data: exchanges } = useQuery(botExchangesQuery)
  const connection = useConnection(bot)
  const exchange = exchanges?.find(({ id }) => id === bot.exchange_id)
  const unit = bot.amount_currency
  const limit = (value: string | null) => (value === null ? 'no limit' : <Value value={value} unit={unit} />)
  return (
    <Facts
      facts={[
        ['Bot', <Foreign key="bot" text={bot.name || `Bot ${bot.id}`} />],
        [
          'Mode',
          <Mode key="mode" mode={bot.mode} demo={bot.mode === 'live' && (connection?.demo ?? bot.demo)} />,
        ],
        ['Account', <Foreign key="account" text={accountText(connection)} />],
        [
          'Exchange',
          exchanges === undefined
            ? '…'
            : exchange === undefined
              ? `${bot.exchange_id}, not enabled`
              : exchangeText(exchange),
        ],
        ['Symbols', <Foreign key="symbols" text={bot.symbol ?? 'all that it gets'} />],
        ['Each order opens', <Value key="amount" value={bot.amount} unit={amountUnit(bot)} />],
        ['Opens', directions[bot.direction]],
        ['Enters', entryInShort(bot.entry)],
        ['Protects them by', settingsInShort(bot.protection)],
        ['A stop', stopRules(bot)],
        ...(bot.mode === 'live' ? [['Without it at the exchange', unprotectedRules(bot)] as const] : []),
        ['Most positions', bot.max_open_positions === null ? 'no limit' : String(bot.max_open_positions)],
        ['Largest position', limit(bot.max_position)],
        ['Largest loss on a day', limit(bot.max_daily_loss)],
        ['Largest fall of the equity', bot.max_drawdown?.replace('%', ' %') ?? 'no limit'],
      ]}
    />
  )
}

const directions: Record<SignalBotInList['direction'], string> = {
  both: 'long and short positions',
  long: 'only long positions',
  short: 'only short positions',
}

function stopRules({ require_stop, max_stop_distance: furthest }: SignalBotInList): string {
  const needed = require_stop ? 'needed' : 'not needed'
  return furthest === null ? needed : `${needed}, at most ${formatLevel(furthest)} away`
}

function unprotectedRules({ on_unprotected, unprotected_seconds }: SignalBotInList): string {
  if (on_unprotected === 'watch') return 'watches the price'
  return `closes after ${formatDuration(unprotected_seconds * 1000)}, if the exchange refuses it`
}

function accountText(connection: ExchangeConnection | null | undefined): string {
  if (connection === undefined) return '…'
  return connection === null ? 'none' : connection.name || `Connection ${connection.id}`
}

/** The connection of a bot: `null` if it has none, `undefined` while it is not known. */
export function useConnection({
  mode,
  connection_id: id,
}: Pick<SignalBotInList, 'mode' | 'connection_id'>): ExchangeConnection | null | undefined {
  const { data: connections } = useQuery({ ...connectionsQuery, enabled: mode === 'live' })
  if (mode === 'paper' || id === null) return null
  return connections && (connections.find((connection) => connection.id === id) ?? null)
}
