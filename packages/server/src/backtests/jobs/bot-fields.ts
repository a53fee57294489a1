/** The settings of a bot in the request for a backtest. */
import { Type } from 'typebox'
import { settableSettings } from '../../bots/settings.ts'
import { wholeNumber } from '../../strategies/fields.ts'

/** The market is the same for all bots of a backtest: see `market`. */
const {
  size_step: _step,
  min_size: _size,
  min_notional: _notional,
  latency_ms: _latency,
  maintenance: _maintenance,
  participation: _participation,
  funding: _funding,
  ...ofBots
} = settableSettings

/** A bot of a request. */
export const BotSettingsBody = Type.Partial(
  Type.Object({
    id: {
      ...Type.Integer(wholeNumber),
      description: 'One of your signal bots, whose settings count unless you give others.',
    },
    name: Type.String({ minLength: 1, maxLength: 100 }),
    ...ofBots,
  }),
)
