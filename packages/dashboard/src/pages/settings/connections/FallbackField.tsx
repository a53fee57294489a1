import type { AiConnection } from '@tickwright/client'
import { plainText } from '../../../base/text.ts'
import { SelectField } from '../../../parts/Choices.tsx'

/** The connection that is asked if another one fails. */
export function FallbackField({
  connections,
  own,
  problem,
}: {
  connections: readonly AiConnection[]
  /** The connection that falls back. */
  own?: AiConnection
  problem: string | undefined
}) {
  return (
    <SelectField
      label="If the provider cannot answer"
      name="fallback_id"
      defaultValue={own?.fallback_id ?? ''}
      problem={problem}
    >
      <option value="">ask no other</option>
      {connections
        .filter(({ id }) => id !== own?.id)
        .map(({ id, name, model }) => (
          <option key={id} value={id}>
            ask {plainText(name || model)}
          </option>
        ))}
    </SelectField>
  )
}
