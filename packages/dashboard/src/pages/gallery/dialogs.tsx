import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Confirm } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { ShownOnce } from '../../parts/ShownOnce.tsx'
import { Protect } from './protection.tsx'

type Props = { onClose: () => void }

/** Each lies above the page, so the gallery shows one at a time. Their names are in the address. */
export const dialogs: Readonly<Record<string, (props: Props) => ReactNode>> = {
  asks: ({ onClose }) => (
    <Confirm title="Close this position" word="Close" onConfirm={async () => {}} onClose={onClose}>
      <p>The bot sends a market order that closes long 0.015 BTC/USDT.</p>
    </Confirm>
  ),
  form: ({ onClose }) => (
    <Dialog title="Invite a person" onClose={onClose} isWide>
      <TextField label="E-mail address" problem="is not an e-mail address" defaultValue="ada" />
      <Notice>The link is valid once, for seven days.</Notice>
      <Buttons>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy>
          Invite
        </Button>
      </Buttons>
    </Dialog>
  ),
  secret: ({ onClose }) => (
    <ShownOnce
      title="The new key"
      secrets={[
        { label: 'Key', name: 'key', text: 'tw_sample' },
        { label: 'Secret', name: 'secret', text: 'sample'.repeat(8) },
      ]}
      onDone={onClose}
    >
      <Notice tone="warning">Store the secret now: nobody can show it again.</Notice>
    </ShownOnce>
  ),
  protect: Protect,
  long: ({ onClose }) => (
    <Dialog title="A long text" onClose={onClose}>
      {Array.from({ length: 40 }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <p key={line}>This is line {line + 1} of a dialog that is longer than the window.</p>
      ))}
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  ),
}
