import { isoSql } from '../notifications/store.ts'
import { decidingFlagSql } from './flags.ts'

/** The columns that the functions below read, besides those that every statement returns. */
export const eventColumns = 'user_id, strategy_id, action, price, options, flags'

/** The strategy of a row, as `s`. */
export const strategyOf = (row: string) =>
  `cross join lateral (select x.user_id, x.name, x.type from strategies x where x.id = ${row}.strategy_id) s`

/** The events of new signals of strategies. @param sent the name of a CTE of new signals, with `eventColumns` */
export const signalEventsSql = (sent: string) => `
  select g.user_id, 'signal.created' as type, ${signalDataSql('g', 's.name')} as data, g.created_at as at
  from ${sent} g ${strategyOf('g')}`

/** The same for signals from outside, which have no strategy. */
export const outsideSignalEventsSql = (sent: string) => `
  select g.user_id, 'signal.created' as type, ${signalDataSql('g', 'null::text')} as data, g.created_at as at
  from ${sent} g`

/**
 * The data of a notification about a signal: the signal as the API shows it, with the name of its strategy.
 * @param row the name of a row with the columns of the signal
 * @param name an SQL expression
 */
const signalDataSql = (row: string, name: string) => `json_build_object(
  'id', ${row}.id, 'strategy_id', ${row}.strategy_id, 'strategy_name', ${name}, 'run_id', ${row}.run_id,
  'webhook_id', ${row}.webhook_id, 'action', ${row}.action, 'symbols', ${row}.symbols, 'price', ${row}.price,
  'options', ${row}.options, 'flag', ${decidingFlagSql(`${row}.flags`)}, 'flags', ${row}.flags, 'delivered', ${row}.delivered,
  'reason', ${row}.reason, 'created_at', ${isoSql(`${row}.created_at`)})`
