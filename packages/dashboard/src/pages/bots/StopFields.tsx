import type { SignalBotInList } from '@tickwright/client'
import { CheckField, FieldGroup, WholeRow } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { ProtectionFields } from '../../parts/protection/ProtectionFields.tsx'
import type { FieldOf } from './LimitFields.tsx'

/** What protects the positions that a bot opens, and what a stop has to be like. */
export function StopFields({
  field,
  bot,
  problemOf,
}: {
  field: FieldOf
  bot: SignalBotInList | undefined
  problemOf: (field: string) => string | undefined
}) {
  return (
    <FieldGroup title="Protection of new positions">
      <ProtectionFields protection={bot?.protection ?? null} problemOf={problemOf} />
      <TextField
        {...field('max_stop_distance')}
        label="Largest distance of a stop"
        placeholder="No limit"
        hint="From the price, such as 3%. The bot refuses an opening whose stop is further away."
      />
      <WholeRow>
        <CheckField
          label="Open nothing without a stop"
          name="require_stop"
          defaultChecked={bot?.require_stop ?? false}
          hint="Of the bot or of the signal, from the first fill on."
          problem={problemOf('require_stop')}
        />
      </WholeRow>
    </FieldGroup>
  )
}
