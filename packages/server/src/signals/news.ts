import { signalDataSql } from '../notifications/telling.ts'

/** The columns that the functions below read, besides those that every statement returns. */
export const newsColumns = 'user_id, strategy_id, action, price, options, flag, reason'

/** The strategy of a row, as `s`. */
export const strategyOf = (row: string) =>
  `cross join lateral (select x.user_id, x.name, x.type from strategies x where x.id = ${row}.strategy_id) s`

/** The news about signals of strategies. @param sent the name of a CTE of new signals, with `newsColumns` */
export const newsOfSignalsSql = (sent: string) => `
  select g.user_id, 'signal.created' as type, ${signalDataSql('g', 's.name')} as data, g.created_at as at
  from ${sent} g ${strategyOf('g')}`

/** The same for signals from outside, which have no strategy. */
export const newsOfOutsideSignalsSql = (sent: string) => `
  select g.user_id, 'signal.created' as type, ${signalDataSql('g', 'null::text')} as data, g.created_at as at
  from ${sent} g`
