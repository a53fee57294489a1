import type { ApiKey } from '@tickwright/client'
import { CheckField, SelectField } from '../../../parts/Choices.tsx'

/** What agents may do with a key, and whether its changes have to name a key of their own. */
export function Rights({
  apiKey,
  problemOf,
}: {
  apiKey?: ApiKey
  problemOf: (field: string) => string | undefined
}) {
  return (
    <>
      <SelectField
        label="An agent with this key"
        name="mcp"
        defaultValue={apiKey?.mcp ?? 'read'}
        problem={problemOf('mcp')}
        hint="This limits the tools of agents only. Programs that sign their requests may do all that you may do."
      >
        <option value="read">may only read</option>
        <option value="write">may use all tools</option>
      </SelectField>
      <CheckField
        label="Changes need an Idempotency-Key"
        name="idempotency"
        value="required"
        defaultChecked={apiKey?.idempotency === 'required'}
        problem={problemOf('idempotency')}
        hint="Then no program with this key can make a change twice by mistake."
      />
    </>
  )
}

/** What was chosen in {@link Rights}. */
export function readRights(data: FormData): Pick<ApiKey, 'mcp' | 'idempotency'> {
  return {
    mcp: data.get('mcp') === 'write' ? 'write' : 'read',
    idempotency: data.get('idempotency') === 'required' ? 'required' : 'optional',
  }
}
