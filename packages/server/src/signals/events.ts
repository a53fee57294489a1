import { signalDataSql } from '../notifications/store.ts'

/** The columns that the functions below read, besides those that every statement returns. */
export const eventColumns = 'user_id, strategy_id, action, price, options, flag, reason'

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
