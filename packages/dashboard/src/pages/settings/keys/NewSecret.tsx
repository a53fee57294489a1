import type { ApiKey } from '@tickwright/client'
import { Button } from '../../../parts/Button.tsx'
import { Buttons } from '../../../parts/Dialog.tsx'
import { Facts } from '../../../parts/Facts.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { Secret } from '../../../parts/Secret.tsx'

/** A key as the service answers once, with what it never shows again. */
export type ShownKey = ApiKey & { api_secret?: string | undefined; mcp_token?: string | undefined }

/** Shows the secret of a key, this once. */
export function NewSecret({ shown, onDone }: { shown: ShownKey; onDone: () => void }) {
  const { api_key, api_secret, mcp_token } = shown
  return (
    <>
      {api_secret === undefined ? (
        <Notice>The service has your public key. The secret has never left your machine.</Notice>
      ) : (
        <Notice tone="warning">
          Store the secret now: nobody can show it again. Anyone who has it can do all that you can do.
        </Notice>
      )}
      <Facts
        facts={[
          ['Key', <Secret key="key" text={api_key} name="key" />],
          ...(api_secret === undefined
            ? []
            : [['Secret', <Secret key="secret" text={api_secret} name="secret" />] as const]),
          ...(mcp_token === undefined
            ? []
            : [['Token for agents', <Secret key="token" text={mcp_token} name="token" />] as const]),
        ]}
      />
      <Buttons>
        <Button look="primary" onClick={onDone}>
          {api_secret === undefined ? 'Done' : 'I have stored it'}
        </Button>
      </Buttons>
    </>
  )
}
