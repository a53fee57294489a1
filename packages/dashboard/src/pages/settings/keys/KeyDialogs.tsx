import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { SelectField } from '../../../parts/Choices.tsx'
import { TextArea, TextField } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import { textOf } from '../form-data.ts'
import { NewSecret, type ShownKey } from './NewSecret.tsx'
import { Rights, readRights } from './Rights.tsx'

/** Makes a key, and shows its secret once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [made, setMade] = useState<ShownKey | null>(null)
  const [algorithm, setAlgorithm] = useState<ApiKey['algorithm']>('HMAC')
  const make = async (data: FormData) => {
    const publicKey = textOf(data, 'public_key').trim()
    setMade(
      await client.apiKeys.create({
        name: textOf(data, 'name').trim(),
        algorithm,
        ...readRights(data),
        ...(publicKey === '' ? {} : { public_key: publicKey }),
      }),
    )
    void queries.invalidateQueries({ queryKey: ['api-keys'] })
  }
  if (made !== null) return <NewSecret title="The new key" shown={made} onDone={onClose} />
  return (
    <FormDialog
      title="New API key"
      word="Create"
      onSend={make}
      onClose={onClose}
      fields={['name', 'public_key', 'scope', 'mcp', 'idempotency']}
    >
      {(problemOf) => (
        <>
          <TextField
            label="Name"
            name="name"
            hint="Who uses it, such as “Reports”."
            autoComplete="off"
            autoFocus
            problem={problemOf('name')}
          />
          <SelectField
            label="Signature"
            value={algorithm}
            onChange={(event) => setAlgorithm(event.target.value === 'ML-DSA' ? 'ML-DSA' : 'HMAC')}
          >
            <option value="HMAC">HMAC-SHA256: every language has it</option>
            <option value="ML-DSA">ML-DSA-44: also resists quantum computers</option>
          </SelectField>
          {algorithm === 'ML-DSA' && (
            <TextArea
              label="Your public key, if you have made a pair"
              name="public_key"
              hint="Base64 of the raw key or of SPKI. Without it, the service makes a pair and shows you the secret."
              autoComplete="off"
              isCode
              problem={problemOf('public_key')}
            />
          )}
          <Rights problemOf={problemOf} />
        </>
      )}
    </FormDialog>
  )
}

/** Changes the name and the rights of a key. */
export function ChangeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queries = useQueryClient()
  const change = async (data: FormData) => {
    await client.apiKeys.update(apiKey.id, { name: textOf(data, 'name').trim(), ...readRights(data) })
    await queries.invalidateQueries({ queryKey: ['api-keys'] })
    onClose()
  }
  return (
    <FormDialog
      title="Change this API key"
      word="Save"
      onSend={change}
      onClose={onClose}
      fields={['name', 'scope', 'mcp', 'idempotency']}
    >
      {(problemOf) => (
        <>
          <TextField
            label="Name"
            name="name"
            defaultValue={apiKey.name}
            autoComplete="off"
            autoFocus
            problem={problemOf('name')}
          />
          <Rights apiKey={apiKey} problemOf={problemOf} />
        </>
      )}
    </FormDialog>
  )
}

/** Gives a key a new secret: asks first, because the old one stops at once. */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queries = useQueryClient()
  const [rotated, setRotated] = useState<ShownKey | null>(null)
  const rotate = async (data: FormData) => {
    const publicKey = textOf(data, 'public_key').trim()
    setRotated(await client.apiKeys.rotate(apiKey.id, publicKey === '' ? {} : { public_key: publicKey }))
    void queries.invalidateQueries({ queryKey: ['api-keys'] })
  }
  if (rotated !== null) return <NewSecret title="The new secret" shown={rotated} onDone={onClose} />
  return (
    <FormDialog
      title="Rotate this API key"
      word="Rotate"
      look="danger"
      onSend={rotate}
      onClose={onClose}
      fields={['public_key']}
    >
      {(problemOf) => (
        <>
          <p>
            <Foreign text={apiKey.name} /> gets a new secret, and a new token for agents. The old ones stop
            working at once, so each program and agent that has them fails until it has the new ones.
          </p>
          {apiKey.algorithm === 'ML-DSA' && (
            <TextArea
              label="Your next public key, if you make the pairs yourself"
              name="public_key"
              autoComplete="off"
              isCode
              problem={problemOf('public_key')}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
