import type { ApiKey } from '@tickwright/client'
import { CheckField, SelectField } from '../../../parts/Choices.tsx'

/** What programs and agents may do with a key, and whether its changes have to name a key of their own. */
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
        label="A program with this key"
        name="scope"
        defaultValue={apiKey?.scope ?? 'all'}
        problem={problemOf('scope')}
      >
        <option value="all">may do all that you may do</option>
        <option value="deploy">may only read, and change strategies and webhooks</option>
        <option value="read">may only read</option>
      </SelectField>
      <SelectField
        label="An agent with this key"
        name="mcp"
        defaultValue={apiKey?.mcp ?? 'read'}
        problem={problemOf('mcp')}
        hint="An agent may never do more than a program."
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
export function readRights(data: FormData): Pick<ApiKey, 'scope' | 'mcp' | 'idempotency'> {
  const scope = data.get('scope')
  return {
    scope: scope === 'read' || scope === 'deploy' ? scope : 'all',
    mcp: data.get('mcp') === 'write' ? 'write' : 'read',
    idempotency: data.get('idempotency') === 'required' ? 'required' : 'optional',
  }
}
