import { useQueryClient } from '@tanstack/react-query'
import type { Invitation } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { Button } from '../../parts/Button.tsx'
import { SelectField } from '../../parts/Choices.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { CopyButton } from '../../parts/Secret.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import styles from './administration.module.css'

/** Invites a person. Its link is shown once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [made, setMade] = useState<Invitation | null>(null)
  const invite = async (data: FormData) => {
    const role = data.get('role') === 'admin' ? 'admin' : 'user'
    const invitation = await client.users.invitations.create({ email: String(data.get('email')), role })
    void queries.invalidateQueries({ queryKey: ['users'] })
    setMade(invitation)
  }
  if (made !== null) return <Made invitation={made} onClose={onClose} />
  return (
    <FormDialog title="Invite a person" word="Invite" onSend={invite} onClose={onClose} fields={['email']}>
      {(problemOf) => (
        <>
          <TextField
            label="E-mail address"
            hint="If the service has a mail server, it sends the link there."
            name="email"
            type="email"
            autoComplete="off"
            problem={problemOf('email')}
          />
          <SelectField
            label="Role"
            hint="Administrators see and change all users, and switch live trading."
            name="role"
          >
            <option value="user">User</option>
            <option value="admin">Administrator</option>
          </SelectField>
        </>
      )}
    </FormDialog>
  )
}

function Made({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { email, link, expires_at } = invitation
  return (
    <Dialog title="The invitation" onClose={onClose}>
      <Notice>
        This link is shown only now. It is valid once, until <Time at={expires_at} />.
      </Notice>
      <p>
        Pass it on to <Foreign text={email} />. Anyone who has the link can create the account.
      </p>
      {link !== undefined && (
        <div className={styles.link}>
          <code>{link}</code>
          <CopyButton text={link} name="link" />
        </div>
      )}
      <Buttons>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </Buttons>
    </Dialog>
  )
}
