import type { ApiKey } from '@tickwright/client'
import { Notice } from '../../../parts/Notice.tsx'
import { ShownOnce } from '../../../parts/ShownOnce.tsx'

/** A key as the service answers once, with what it never shows again. */
export type ShownKey = ApiKey & { api_secret?: string | undefined; mcp_token?: string | undefined }

/** Shows the secret of a key, this once. */
export function NewSecret({
  title,
  shown: { api_key, api_secret, mcp_token },
  onDone,
}: {
  title: string
  shown: ShownKey
  onDone: () => void
}) {
  const secrets = [
    { label: 'Key', name: 'key', text: api_key },
    { label: 'Secret', name: 'secret', text: api_secret },
    { label: 'Token for agents', name: 'token', text: mcp_token },
  ]
  return (
    <ShownOnce
      title={title}
      secrets={secrets.flatMap(({ text, ...rest }) => (text === undefined ? [] : [{ ...rest, text }]))}
      word={api_secret === undefined ? 'Done' : 'I have stored it'}
      onDone={onDone}
    >
      {api_secret === undefined ? (
        <Notice>The service has your public key. The secret has never left your machine.</Notice>
      ) : (
        <Notice tone="warning">
          Store the secret now: nobody can show it again. Anyone who has it can do all that you can do.
        </Notice>
      )}
    </ShownOnce>
  )
}
